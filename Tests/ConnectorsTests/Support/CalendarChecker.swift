/// Reads a calendar strictly by RFC 5545, knowing nothing of how it was written: what is wrong with it, or what it has.
struct CalendarChecker {
  struct Property: Equatable {
    var name: String
    var parameters: [String: String] = [:]
    var value: String
  }

  struct Component {
    var name: String
    var properties: [Property] = []
    var components: [Component] = []

    func all(_ name: String) -> [Property] { properties.filter { $0.name == name } }
    subscript(_ name: String) -> String? { all(name).first?.value }
  }

  struct Wrong: Error { let what: String }

  /// The calendar that the bytes are.
  static func read(_ bytes: [UInt8]) throws -> Component {
    let lines = try contentLines(bytes)
    var open: [Component] = []
    for (number, line) in lines.enumerated() {
      let property = try property(line)
      switch property.name {
      case "BEGIN": open.append(Component(name: property.value))
      case "END":
        guard let done = open.popLast(), done.name == property.value else {
          throw Wrong(what: "END: \(line)")
        }
        try check(done)
        if open.isEmpty {
          guard number == lines.count - 1 else { throw Wrong(what: "something behind the calendar") }
          guard done.name == "VCALENDAR" else { throw Wrong(what: "no calendar") }
          return done
        }
        open[open.count - 1].components.append(done)
      default:
        guard !open.isEmpty else { throw Wrong(what: "outside: \(line)") }
        open[open.count - 1].properties.append(property)
      }
    }
    throw Wrong(what: "the calendar has no end")
  }

  /// Every physical line ends with CRLF, has 75 octets at most and whole characters.
  private static func contentLines(_ bytes: [UInt8]) throws -> [String] {
    guard bytes.suffix(2) == [13, 10] else { throw Wrong(what: "the last line is not ended") }
    var lines: [String] = []
    var physical: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == 13 {
        guard index + 1 < bytes.count, bytes[index + 1] == 10 else { throw Wrong(what: "CR alone") }
        guard physical.count <= 75 else { throw Wrong(what: "\(physical.count) octets in a line") }
        guard let text = String(validating: physical, as: UTF8.self) else {
          throw Wrong(what: "a cut character")
        }
        guard !text.isEmpty else { throw Wrong(what: "an empty line") }
        if text.unicodeScalars.first == " " {
          guard let last = lines.indices.last else { throw Wrong(what: "nothing to go on from") }
          lines[last].unicodeScalars += text.unicodeScalars.dropFirst()
        } else {
          lines.append(text)
        }
        physical = []
        index += 2
      } else {
        guard bytes[index] >= 32 || bytes[index] == 9 else { throw Wrong(what: "the byte \(bytes[index])") }
        physical.append(bytes[index])
        index += 1
      }
    }
    return lines
  }

  private static func property(_ line: String) throws -> Property {
    guard
      let match = line.wholeMatch(
        of: /([A-Z0-9-]+)((?:;[A-Z0-9-]+=[^;:",]+)*):(.*)/.matchingSemantics(.unicodeScalar))
    else {
      throw Wrong(what: "no property: \(line)")
    }
    var property = Property(name: String(match.1), value: String(match.3))
    for part in match.2.split(separator: ";") {
      let sides = part.split(separator: "=")
      property.parameters[String(sides[0])] = String(sides[1])
    }
    return property
  }

  /// What each component must and may have, and once only.
  private static func check(_ component: Component) throws {
    let (needed, allowed): ([String], [String])
    switch component.name {
    case "VCALENDAR": (needed, allowed) = (["VERSION", "PRODID"], ["CALSCALE", "REFRESH-INTERVAL"])
    case "VEVENT":
      needed = ["UID", "DTSTAMP", "DTSTART"]
      allowed = [
        "SEQUENCE", "LAST-MODIFIED", "DTEND", "SUMMARY", "DESCRIPTION", "LOCATION", "URL", "GEO", "STATUS",
      ]
    case "VALARM": (needed, allowed) = (["ACTION", "TRIGGER", "DESCRIPTION"], [])
    default: throw Wrong(what: "the component \(component.name)")
    }
    for name in needed where component.all(name).count != 1 {
      throw Wrong(what: "\(component.name): \(name)")
    }
    for property in component.properties {
      let isKnown = (needed + allowed).contains(property.name) || property.name.hasPrefix("X-")
      guard isKnown, component.all(property.name).count == 1 else { throw Wrong(what: "\(property)") }
      try check(property)
    }
    if component.name == "VEVENT" { try checkSpan(component) }
  }

  private static func check(_ property: Property) throws {
    let isRight: Bool
    switch property.name {
    case "VERSION": isRight = property.value == "2.0"
    case "DTSTAMP", "LAST-MODIFIED": isRight = isTime(property.value) && property.parameters.isEmpty
    case "DTSTART", "DTEND":
      isRight =
        property.parameters == ["VALUE": "DATE"]
        ? property.value.wholeMatch(of: /\d{8}/.matchingSemantics(.unicodeScalar)) != nil
        : property.parameters.isEmpty && isTime(property.value)
    case "SEQUENCE": isRight = property.value.wholeMatch(of: /\d+/.matchingSemantics(.unicodeScalar)) != nil
    case "GEO":
      isRight =
        property.value.wholeMatch(of: /-?\d+(\.\d+)?;-?\d+(\.\d+)?/.matchingSemantics(.unicodeScalar)) != nil
    case "STATUS": isRight = ["TENTATIVE", "CONFIRMED", "CANCELLED"].contains(property.value)
    case "TRIGGER":
      isRight =
        property.value.wholeMatch(of: /-P(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?/.matchingSemantics(.unicodeScalar))
        != nil
    case "ACTION": isRight = property.value == "DISPLAY"
    case "URL": isRight = property.value.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    default: isRight = isText(property.value)
    }
    if !isRight { throw Wrong(what: "\(property)") }
  }

  private static func isTime(_ text: String) -> Bool {
    text.wholeMatch(of: /\d{8}T\d{6}Z/.matchingSemantics(.unicodeScalar)) != nil
  }

  /// Commas, semicolons and backslashes are escaped.
  private static func isText(_ text: String) -> Bool {
    text.wholeMatch(of: /([^\\;,]|\\[\\;,nN])*/.matchingSemantics(.unicodeScalar)) != nil
  }

  private static func checkSpan(_ event: Component) throws {
    guard let start = event.all("DTSTART").first, let end = event.all("DTEND").first else { return }
    guard start.parameters == end.parameters, start.value < end.value else { throw Wrong(what: "\(event)") }
  }

  /// The text that a value of the type TEXT stands for.
  static func plain(_ text: String) -> String {
    text.replacing(/\\(.)/.matchingSemantics(.unicodeScalar)) { match in
      match.1.lowercased() == "n" ? "\n" : String(match.1)
    }
  }
}
