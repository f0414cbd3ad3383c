import JSON

// The option types that are written in the expression language.

extension OptionType where Value == Expression {
  /// A jq expression over the event that the node is given.
  public static var expression: OptionType { expression(with: [], isOfEvent: true) }

  /// A jq expression that decides by its first output; one that decides nothing is an error.
  public static var condition: OptionType { expression(with: [], isCondition: true, isOfEvent: true) }

  /// A jq expression that sees some variables more, or has another input than the event.
  public static func expression(
    with variables: [String], isCondition: Bool = false, isOfEvent: Bool = false
  ) -> OptionType {
    OptionType("expression", sample: ".", schema: scalarSchema) { node, checker in
      // Not resolved: `$vars.x` is an expression already.
      guard case .scalar(let scalar) = node else {
        checker.report(
          "an expression is expected here, not \(node.kind)", at: node.place,
          hint: "put quotes around an expression that begins with { or [")
        return nil
      }
      if scalar.text.isEmpty {
        checker.report("the expression is empty", at: scalar.place, hint: "for the whole value, write .")
        return nil
      }
      return checker.expression(
        scalar, variables: variables, isCondition: isCondition, isOfEvent: isOfEvent)
    }
  }

  /// A jq expression that names places in a value, as `.net` or `.videos[].url`; its outputs are their paths.
  ///
  /// - Parameter ofEvent: Whether the value is the event that the node is given.
  public static func places(ofEvent: Bool) -> OptionType {
    OptionType("path expression", sample: ".id", schema: scalarSchema) { node, checker in
      guard case .scalar(let scalar) = node, !scalar.text.isEmpty else {
        checker.report("an expression such as .net is expected here, not \(node.kind)", at: node.place)
        return nil
      }
      let start = "path("
      let code = scalar.asExpression
      let program = "\(start)\(code.text)\n)"
      @Sendable func place(_ range: Range<Int>) -> SourceRange {
        let end = code.text.utf8.count
        let lower = min(max(0, range.lowerBound - start.utf8.count), end)
        return code.place(of: lower..<min(max(lower, range.upperBound - start.utf8.count), end))
      }
      if let computed = NameUsage(program, library: checker.scope.library)?.computed.first {
        checker.report(
          "this computes a value; a place in the event is expected here", at: place(computed),
          hint: "name it, as .net or .videos[].url; map can compute it before")
        return nil
      }
      if ofEvent { checker.warnOfMissingMembers(in: code.text) { code.place(of: $0) } }
      return checker.compile(scalar, program, [], place: place)
    }
  }

  /// A jq expression, or a mapping that builds an object, each value in it an expression.
  public static var shape: OptionType {
    OptionType(
      "expression or mapping of expressions", sample: "{ id: .id }",
      schema: .record([
        ("anyOf", .array([scalarSchema, .record([("type", .array(["object", "array"]))])]))
      ])
    ) { node, checker in
      if case .scalar = node { return expression.decode(node, checker) }
      var shape = ShapeText()
      shape.add(node, checker)
      guard shape.isRight else { return nil }
      let parts = shape.parts
      let place = node.place
      return checker.compile(nil, shape.text, [], members: members(of: node)) { range in
        // The parentheses around each expression are not in the file.
        guard let part = parts.last(where: { $0.start - 1 <= range.lowerBound }),
          range.upperBound <= part.start + part.code.text.utf8.count + 2
        else { return place }
        let end = part.code.text.utf8.count
        let first = min(max(0, range.lowerBound - part.start), end)
        return part.code.place(of: first..<min(max(first, range.upperBound - part.start), end))
      }
    }
  }
}

/// The expressions of a mapping's own members.
private func members(of node: YAMLNode) -> [String: String] {
  var members: [String: String] = [:]
  for entry in node.mapping?.entries ?? [] {
    if let scalar = entry.value.scalar { members[entry.key.text] = scalar.asExpression.text }
  }
  return members
}

extension OptionType where Value == Template {
  /// A text with `\(expressions)` in it.
  public static var template: OptionType { template(with: []) }

  /// - Parameter ofEvent: Whether its expressions are given the event that the node is given.
  public static func template(
    named name: String = "template", with variables: [String] = [], ofEvent: Bool = true
  ) -> OptionType {
    OptionType(name, sample: #"'\(.name)'"#, schema: scalarSchema) { node, checker in
      guard let scalar = checker.scalar(node, "a text") else { return nil }
      let code = scalar.asTemplate
      let quotedText = TemplateText(code.text)
      if let start = quotedText.unclosed {
        checker.report(
          "this \\( is not closed", at: code.place(of: start..<start + 2), hint: "close it with )")
        return nil
      }
      let expression = checker.compile(scalar, quotedText.program, variables) { range in
        code.place(of: quotedText.original(range))
      }
      checker.warnOfPlaceholder(in: scalar, doubled: true, "this prints")
      checker.warnOfExpression(in: scalar)
      if expression != nil, ofEvent {
        checker.warnOfMissingMembers(in: quotedText.program) { code.place(of: quotedText.original($0)) }
      }
      return expression.map { Template($0, constant: scalar.hasNoExpressions ? scalar.text : nil) }
    }
  }
}

private let scalarSchema = JSON.Value.record([("type", .array(["string", "number", "boolean"]))])

/// A template as a jq program: put into quotes, with its own quotes escaped where they are not in an expression.
struct TemplateText {
  private(set) var program = "\""
  /// Where, in the program, a backslash was put in.
  private var inserted: [Int] = [0]
  /// The first byte of an expression of the template that has no end.
  private(set) var unclosed: Int?

  init(_ text: String) {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    // Within an expression parentheses and strings nest; outside, a quote is a quote.
    var depths: [Int] = []
    var inString: [Bool] = [true]
    var isEscaped = false
    var opening: Int?
    for byte in text.utf8 {
      let isText = inString.last ?? true
      if isEscaped {
        isEscaped = false
        bytes.append(byte)
        if byte == UInt8(ascii: "("), isText {
          if inString.count == 1 { opening = bytes.count - 2 }
          depths.append(0)
          inString.append(false)
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\\") where isText: isEscaped = true
      case UInt8(ascii: "\"") where isText && inString.count > 1: inString.removeLast()
      case UInt8(ascii: "\"") where isText:
        inserted.append(bytes.count)
        bytes.append(UInt8(ascii: "\\"))
      case UInt8(ascii: "\""): inString.append(true)
      case UInt8(ascii: "(") where !isText: depths.append((depths.popLast() ?? 0) + 1)
      case UInt8(ascii: ")") where !isText:
        let depth = depths.popLast() ?? 0
        if depth > 0 { depths.append(depth - 1) } else { inString.removeLast() }
      default: break
      }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
    program = String(decoding: bytes, as: UTF8.self)
    unclosed = inString.count > 1 ? opening.map { original($0) } : nil
  }

  /// The template as a program that gives its parts apart: texts and what the expressions give, in turn.
  var partsProgram: TemplateList { list { index in index.isMultiple(of: 2) ? .text : .output } }

  /// The template as a program that gives its texts alone.
  var textsProgram: TemplateList { list { index in index.isMultiple(of: 2) ? .text : nil } }

  /// The template as a program that gives what its expressions give.
  var outputsProgram: TemplateList { list { index in index.isMultiple(of: 2) ? nil : .output } }

  /// The same, as it is and not as texts.
  var valuesProgram: TemplateList { list { index in index.isMultiple(of: 2) ? nil : .value } }

  private func list(_ form: (Int) -> TemplateList.Form?) -> TemplateList {
    var list = TemplateList()
    for (index, part) in parts.enumerated() {
      if let form = form(index) { list.add(part.text, as: form, from: original(part.start)) }
    }
    list.close()
    return list
  }

  /// The parts, texts and expressions alternating, with their byte offsets.
  private var parts: [(text: String, start: Int)] {
    var parts: [(text: String, start: Int)] = [("", 1)]
    var isText = true
    var isEscaped = false
    var offset = 1
    // Within an expression only its end matters, which strings inside may hide.
    var nested = TemplateNesting()
    for scalar in program.unicodeScalars.dropFirst().dropLast() {
      offset += String(scalar).utf8.count
      if isText {
        if isEscaped, scalar == "(" {
          parts[parts.count - 1].text.unicodeScalars.removeLast()
          parts.append(("", offset))
          isText = false
          nested = TemplateNesting()
        } else {
          parts[parts.count - 1].text.unicodeScalars.append(scalar)
        }
        isEscaped = scalar == "\\" && !isEscaped
      } else if nested.ends(with: scalar) {
        parts.append(("", offset))
        isText = true
      } else {
        parts[parts.count - 1].text.unicodeScalars.append(scalar)
      }
    }
    return parts
  }

  /// Where in the template a part of the program stands.
  func original(_ range: Range<Int>) -> Range<Int> {
    let start = original(range.lowerBound)
    return start..<max(start, original(range.upperBound))
  }

  private func original(_ offset: Int) -> Int { offset - inserted.count { $0 < offset } }
}

/// A program that gives a list of parts of a template, and where they stand there.
struct TemplateList {
  enum Form { case text, output, value }

  private(set) var program = "["
  /// The expressions: their bytes in the program, and the first one in the template.
  private var places: [(range: Range<Int>, start: Int)] = []

  fileprivate mutating func add(_ part: String, as form: Form, from start: Int) {
    if program.utf8.count > 1 { program += ", " }
    if form == .text {
      program += "\"\(part)\""
      return
    }
    program += "(("
    let begin = program.utf8.count
    program += part
    places.append((begin..<program.utf8.count, start))
    program += form == .output ? "\n) | tostring)" : "\n))"
  }

  fileprivate mutating func close() { program += "]" }

  /// Where in the template a part of the program stands; nil for what is in none of its expressions.
  func original(_ range: Range<Int>) -> Range<Int>? {
    // The parentheses around each expression are not in the file.
    guard
      let (part, start) = places.last(where: { $0.range.lowerBound - 2 <= range.lowerBound }),
      range.upperBound <= part.upperBound + 2
    else { return nil }
    let inside = range.clamped(to: part)
    return inside.lowerBound - part.lowerBound + start..<inside.upperBound - part.lowerBound + start
  }
}

/// Follows an expression within a template to the parenthesis that ends it.
struct TemplateNesting {
  /// Open parentheses of each expression, the innermost last; a string within one is marked by -1.
  private var levels = [0]
  private var isEscaped = false

  /// Whether this is the end of the outermost expression.
  mutating func ends(with scalar: Unicode.Scalar) -> Bool {
    let isString = levels.last == -1
    if isEscaped {
      isEscaped = false
      if isString, scalar == "(" { levels.append(0) }
      return false
    }
    switch scalar {
    case "\\" where isString: isEscaped = true
    case "\"":
      if isString { levels.removeLast() } else { levels.append(-1) }
    case "(" where !isString: levels[levels.count - 1] += 1
    case ")" where !isString:
      if levels[levels.count - 1] > 0 {
        levels[levels.count - 1] -= 1
      } else {
        levels.removeLast()
        return levels.isEmpty
      }
    default: break
    }
    return false
  }
}

/// A mapping of expressions as one program that builds the object.
///
/// Each expression is compiled alone first, so that its mistakes are reported where it stands.
struct ShapeText {
  private(set) var text = ""
  private(set) var isRight = true
  /// The expressions in the text, each with its first byte there.
  private(set) var parts: [(start: Int, code: Scalar)] = []

  mutating func add(_ node: YAMLNode, _ checker: Checker) {
    switch node {
    case .scalar(let scalar):
      if scalar.text.isEmpty {
        checker.report("the expression is empty", at: scalar.place, hint: "write null for no value")
        isRight = false
      } else if checker.expression(scalar, isOfEvent: true) == nil {
        isRight = false
      }
      let code = scalar.asExpression
      parts.append((text.utf8.count + 1, code))
      text += "(\(code.text)\n)"
    case .sequence(let sequence):
      text += "["
      for (index, element) in sequence.elements.enumerated() {
        if index > 0 { text += "," }
        add(element, checker)
      }
      text += "]"
    case .mapping(let mapping):
      text += "{"
      for (index, entry) in mapping.entries.enumerated() {
        if index > 0 { text += "," }
        text += "\(JSON.Value.string(entry.key.text)):"
        add(entry.value, checker)
      }
      text += "}"
    }
  }
}
