import System

/// Why a text is not a selector, and at which character.
public struct SelectorFlaw: Error, Equatable, Sendable {
  public var offset: Int
  public var reason: String
}

extension Selector {
  /// Parses a list of selectors: `table tr:not(.head) > td.price, [data-price]`.
  public init(_ text: String) throws(SelectorFlaw) {
    var parser = SelectorParser(text)
    alternatives = try parser.list(isNested: false)
    hasScope = parser.hasScope
    self.text = text
  }
}

private struct SelectorParser {
  private let text: [Character]
  private var at = 0
  private var depth = 0
  private var compounds = 0
  private(set) var hasScope = false

  init(_ text: String) { self.text = Array(text) }

  private var next: Character? { at < text.count ? text[at] : nil }

  private func fail(_ reason: String) -> SelectorFlaw { SelectorFlaw(offset: at, reason: reason) }

  private mutating func take(_ character: Character) -> Bool {
    guard next == character else { return false }
    at += 1
    return true
  }

  @discardableResult
  private mutating func space() -> Bool {
    let start = at
    while let character = next, character.isWhitespace { at += 1 }
    return at > start
  }

  mutating func list(isNested: Bool, isRelative: Bool = false) throws(SelectorFlaw) -> [Selector.Complex] {
    depth += 1
    defer { depth -= 1 }
    if depth > 8 { throw fail("selectors are nested more than 8 deep") }
    var all: [Selector.Complex] = []
    repeat { all.append(try complex(isRelative)) } while take(",")
    if isNested {
      if !take(")") { throw fail("a closing parenthesis is expected") }
    } else if next != nil {
      throw fail("a selector cannot go on here")
    }
    return all
  }

  private mutating func complex(_ isRelative: Bool) throws(SelectorFlaw) -> Selector.Complex {
    space()
    var complex = Selector.Complex(compounds: [], combinators: [], number: 0)
    if isRelative, let found = combinator() { complex.leading = found }
    space()
    complex.compounds.append(try compound())
    while true {
      let hasSpace = space()
      if let found = combinator() {
        space()
        complex.combinators.append(found)
      } else if hasSpace, let character = next, character != ",", character != ")" {
        complex.combinators.append(.descendant)
      } else {
        complex.number = compounds
        compounds += complex.compounds.count
        return complex
      }
      complex.compounds.append(try compound())
    }
  }

  private mutating func combinator() -> Selector.Combinator? {
    let found: Selector.Combinator? =
      switch next {
      case ">": .child
      case "+": .next
      case "~": .following
      default: nil
      }
    if found != nil { at += 1 }
    return found
  }

  private mutating func compound() throws(SelectorFlaw) -> [Selector.Test] {
    var tests: [Selector.Test] = []
    if next == "*" || isNameStart {
      let first = try nameOrStar()
      if next == "|" {
        at += 1
        tests.append(.name(try nameOrStar(), prefix: first))
      } else {
        tests.append(.name(first, prefix: nil))
      }
    }
    while let character = next {
      switch character {
      case "#":
        at += 1
        tests.append(.attribute("id", .equals, try name(), ignoresCase: false))
      case ".":
        at += 1
        tests.append(.attribute("class", .word, try name(), ignoresCase: false))
      case "[":
        at += 1
        tests.append(try attribute())
      case ":":
        at += 1
        if next == ":" { throw fail("a page has no pseudo-elements") }
        tests.append(try pseudoClass())
      default:
        if tests.isEmpty { throw fail("a selector is expected, such as a name, .class, #id or [attribute]") }
        return tests
      }
    }
    if tests.isEmpty { throw fail("a selector is expected, such as a name, .class, #id or [attribute]") }
    return tests
  }

  // MARK: - Names and values

  private var isNameStart: Bool {
    guard let character = next else { return false }
    return character.isLetter || character == "_" || character == "-" || character == "\\"
      || !character.isASCII
  }

  private mutating func nameOrStar() throws(SelectorFlaw) -> String { take("*") ? "*" : try name() }

  private mutating func name() throws(SelectorFlaw) -> String {
    var name = ""
    while let character = next {
      if character == "\\", at + 1 < text.count {
        name.append(text[at + 1])
        at += 2
      } else if character.isLetter || character.isNumber || character == "_" || character == "-"
        || !character.isASCII
      {
        name.append(character)
        at += 1
      } else {
        break
      }
    }
    if name.isEmpty { throw fail("a name is expected") }
    return name
  }

  private mutating func value() throws(SelectorFlaw) -> String {
    guard let quote = next, quote == "\"" || quote == "'" else { return try name() }
    let start = at
    at += 1
    var value = ""
    while let character = next, character != quote {
      if character == "\\", at + 1 < text.count { at += 1 }
      value.append(text[at])
      at += 1
    }
    guard take(quote) else {
      at = start
      throw fail("the quote that opens here is never closed")
    }
    return value
  }

  private mutating func attribute() throws(SelectorFlaw) -> Selector.Test {
    space()
    var attribute = try name()
    if next == "|" || next == ":" {
      at += 1
      attribute += ":" + (try name())
    }
    space()
    if take("]") { return .attribute(attribute, .exists, "", ignoresCase: false) }
    let matches: [Character: Selector.Match] = [
      "~": .word, "|": .dash, "^": .prefix, "$": .suffix, "*": .contains,
    ]
    var match = Selector.Match.equals
    if let character = next, let found = matches[character] {
      match = found
      at += 1
    }
    guard take("=") else { throw fail("“=”, “~=”, “^=”, “$=”, “*=”, “|=” or “]” is expected") }
    space()
    let wanted = try value()
    space()
    let ignoresCase = take("i") || take("I")
    space()
    if !take("]") { throw fail("“]” is expected") }
    return .attribute(attribute, match, wanted, ignoresCase: ignoresCase)
  }

  // MARK: - Pseudo-classes

  private mutating func pseudoClass() throws(SelectorFlaw) -> Selector.Test {
    let start = at
    let name = try name().lowercased()
    func first(_ fromEnd: Bool, _ ofType: Bool) -> Selector.Test {
      .nth(0, 1, fromEnd: fromEnd, ofType: ofType)
    }
    switch name {
    case "first-child": return first(false, false)
    case "last-child": return first(true, false)
    case "first-of-type": return first(false, true)
    case "last-of-type": return first(true, true)
    case "only-child":
      compounds += 1
      let both = [first(false, false), first(true, false)]
      return .any([Selector.Complex(compounds: [both], combinators: [], number: compounds - 1)])
    case "empty": return .empty
    case "root": return .root
    case "scope":
      hasScope = true
      return .scope
    default: break
    }
    let known = [
      "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type", "not", "is", "where", "has",
      "contains",
    ]
    guard known.contains(name), take("(") else {
      at = start
      throw fail(
        known.contains(name)
          ? "“:\(name)” needs an argument, as in :\(name)(…)" : "“:\(name)” is not supported")
    }
    switch name {
    case "not": return .not(try list(isNested: true))
    case "is", "where": return .any(try list(isNested: true))
    case "has": return .has(try list(isNested: true, isRelative: true))
    case "contains":
      space()
      let wanted = try value()
      space()
      if !take(")") { throw fail("a closing parenthesis is expected") }
      return .text(wanted)
    default:
      let (step, offset) = try nth()
      return .nth(
        step, offset, fromEnd: name.has("last"), ofType: name.hasSuffix("of-type"))
    }
  }

  /// `odd`, `even`, `3`, `2n`, `2n+1`, `-n+3`, up to the closing parenthesis.
  private mutating func nth() throws(SelectorFlaw) -> (Int, Int) {
    let start = at
    var word = ""
    while let character = next, character != ")" {
      if !character.isWhitespace { word.append(character) }
      at += 1
    }
    guard take(")") else { throw fail("a closing parenthesis is expected") }
    word = word.lowercased()
    if word == "odd" { return (2, 1) }
    if word == "even" { return (2, 0) }
    if let number = Int(word) { return (0, number) }
    if let split = word.firstIndex(of: "n") {
      let head = String(word[..<split])
      let tail = String(word[word.index(after: split)...])
      let step = head.isEmpty || head == "+" ? 1 : head == "-" ? -1 : Int(head)
      let offset = tail.isEmpty ? 0 : Int(tail)
      if let step, let offset, abs(step) < 1 << 30, abs(offset) < 1 << 30 { return (step, offset) }
    }
    at = start
    throw fail("odd, even, a number or an expression such as 2n+1 is expected")
  }
}
