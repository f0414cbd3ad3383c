/// A JSON Pointer, the path of something inside a value as RFC 6901 writes it: `/launches/0/net`.
///
///     value[Pointer("/pad/location/name")]
public struct Pointer: Sendable, Hashable {
  /// Names of members, or element numbers as digits, from the outside in; escapes decoded.
  public private(set) var steps: [String]

  public init(steps: [String]) { self.steps = steps }

  /// Parses a pointer; nil where the text is none.
  public init?(_ text: String) {
    guard !text.isEmpty else {
      steps = []
      return
    }
    guard text.utf8.first == 0x2f else { return nil }
    var steps: [String] = []
    for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let step = Pointer.decode(part) else { return nil }
      steps.append(step)
    }
    self.steps = steps
  }

  private static func decode(_ part: Substring) -> String? {
    guard part.utf8.contains(0x7e) else { return String(part) }
    var step = ""
    var isEscaped = false
    for scalar in part.unicodeScalars {
      switch (isEscaped, scalar) {
      case (false, "~"):
        isEscaped = true
        continue
      case (false, _): step.unicodeScalars.append(scalar)
      case (true, "0"): step += "~"
      case (true, "1"): step += "/"
      default: return nil
      }
      isEscaped = false
    }
    return isEscaped ? nil : step
  }
}

extension Pointer: CustomStringConvertible {
  /// The pointer's text.
  public var description: String {
    var text = ""
    for step in steps {
      text += "/"
      for scalar in step.unicodeScalars {
        switch scalar {
        case "~": text += "~0"
        case "/": text += "~1"
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    return text
  }
}

extension Value {
  /// The value at a pointer; nil where there is none.
  public subscript(_ pointer: Pointer) -> Value? {
    var value = self
    for step in pointer.steps {
      switch value.kind {
      case .object:
        guard let member = value.member(Key(step)) else { return nil }
        value = member
      case .array:
        guard let number = Value.elementNumber(step), let element = value.element(number) else { return nil }
        value = element
      default: return nil
      }
    }
    return value
  }

  /// Digits without leading zeros.
  private static func elementNumber(_ step: String) -> Int? {
    guard step.utf8.allSatisfy({ $0 &- 0x30 < 10 }), step == "0" || step.utf8.first != 0x30 else {
      return nil
    }
    return Int(step)
  }
}
