// The names in a page that stay: what its authors have chosen, and not what their tools have generated.

/// Selectors for one element by its own names: data attributes, its role, classes, its tag, in this order.
struct StableNames {
  /// Attributes whose values name what an element is.
  private static let naming = [
    "data-testid", "data-test", "data-qa", "data-cy", "data-component", "itemprop",
  ]
  /// Beginnings of attributes and classes that tools write.
  private static let tools = [
    "data-v-", "data-react", "data-radix", "data-headlessui", "data-emotion", "data-styled", "css-", "sc-",
    "jsx-", "svelte-",
    "emotion-", "jss", "ng-", "data-n-", "data-savepage",
  ]
  /// Classes for the state of an element.
  private static let states: Set<String> = [
    "active", "selected", "current", "open", "opened", "closed", "hover", "focus", "first", "last", "odd",
    "even",
    "disabled", "enabled", "visible", "hidden", "loaded", "loading", "lazy", "lazyload", "lazyloaded",
    "clearfix",
  ]
  /// First parts of classes that are about layout.
  private static let layout: Set<String> = [
    "m", "p", "mt", "mb", "ml", "mr", "mx", "my", "pt", "pb", "pl", "pr", "px", "py", "w", "h", "text", "bg",
    "flex", "grid",
    "items", "justify", "rounded", "border", "shadow", "gap", "col", "cols", "row", "d", "font", "leading",
    "space", "z",
    "top", "left", "max", "min", "overflow", "relative", "absolute", "block", "inline", "container", "float",
    "order", "self",
    "cursor", "transition", "opacity", "xs", "sm", "md", "lg", "xl", "small", "large", "col-xs", "wrapper",
  ]

  /// The selectors, best first; the tag, which always applies, is the last.
  static func selectors(of element: MarkupElement, ignoring mark: String) -> [String] {
    let tag = element.name
    let attributes = element.node.attributes
    func value(_ name: String) -> String? { element.attribute(name).flatMap { isWord($0) ? $0 : nil } }
    var found = naming.compactMap { name in value(name).map { "[\(name)=\"\($0)\"]" } }
    let data = attributes.map(\.name).filter { name in
      name.hasPrefix("data-") && name != mark && isWord(name) && !naming.contains(name)
    }
    found += data.map { "[\($0)]" }
    if let role = value("role"), role != "presentation", role != "none" { found.append("[role=\"\(role)\"]") }
    found += classes(of: element).map { $0.hasPrefix("[") ? tag + $0 : ".\($0)" }
    return found + [tag == "tr" ? "tr:has(td)" : tag]
  }

  /// The classes of an element that stay, as names or as tests for the beginning of one; those about layout last.
  static func classes(of element: MarkupElement) -> [String] {
    let all = (element.attribute("class") ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    var (own, layouts): ([String], [String]) = ([], [])
    for name in all
    where isSimple(name) && !states.contains(name) && !name.hasPrefix("is-") && !name.hasPrefix("has-") {
      // As CSS modules have it: the file and the name, then a hash.
      let parts = name.replacing("__", by: "\n").split(separator: "\n")
      if parts.count > 1, let last = parts.last, isGenerated(String(last)), isWord(String(parts[0])) {
        own.append("[class*=\"\(parts.dropLast().joined(separator: "__"))__\"]")
      } else if isWord(name) {
        let first = name.split(separator: "-").first.map(String.init) ?? name
        if layout.contains(first) { layouts.append(name) } else { own.append(name) }
      }
    }
    return own + layouts
  }

  /// The id of an element, if a person has chosen it.
  static func id(of element: MarkupElement) -> String? {
    element.attribute("id").flatMap {
      isSimple($0) && isWord($0) && !$0.contains(where: \.isNumber) ? $0 : nil
    }
  }

  /// Whether it needs no escapes in a selector.
  private static func isSimple(_ name: String) -> Bool {
    name.first?.isLetter == true
      && name.utf8.allSatisfy { isNameByte($0) || $0 == 0x2d || $0 == 0x5f }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }

  /// Whether a name is made of words rather than generated.
  private static func isWord(_ name: String) -> Bool {
    if name.isEmpty || name.utf8.count > 60 || tools.contains(where: name.hasPrefix) { return false }
    guard name.utf8.allSatisfy({ isNameByte($0) || "-_:./".utf8.contains($0) }) else { return false }
    return !name.split(whereSeparator: { "-_:./".contains($0) }).contains { isGenerated(String($0)) }
  }

  /// Whether a part of a name is a hash or a number rather than a word.
  private static func isGenerated(_ part: String) -> Bool {
    let digits = part.utf8.count { (0x30...0x39).contains($0) }
    if digits == part.utf8.count { return digits > 3 }
    if digits > 0, part.utf8.count > 4,
      !(part.utf8.last.map { (0x30...0x39).contains($0) } ?? false && digits < 3)
    {
      return true
    }
    // Capitals within, more often than words begin.
    let turns = zip(part, part.dropFirst()).count { $0.isLowercase && $1.isUppercase }
    return turns > 1 && turns * 4 > part.count
      || part.count > 4 && !part.lowercased().contains { "aeiouy".contains($0) }
  }
}
