// Builtins for texts.

extension Builtins {
  static let texts: [String: Builtin] = [
    "startswith/1": .one { (value, part, _) throws(Exception) in
      .bool(try starts(value, part, "startswith() requires string inputs"))
    },
    "endswith/1": .one { (value, part, _) throws(Exception) in
      .bool(try ends(value, part, "endswith() requires string inputs"))
    },
    "ltrimstr/1": .one { (value, part, _) throws(Exception) in
      guard try starts(value, part, "startswith() requires string inputs") else { return value }
      return .string(Array((value.textBytes ?? []).dropFirst(part.textBytes?.count ?? 0)))
    },
    "rtrimstr/1": .one { (value, part, _) throws(Exception) in
      guard try ends(value, part, "endswith() requires string inputs") else { return value }
      return .string(Array((value.textBytes ?? []).dropLast(part.textBytes?.count ?? 0)))
    },
    "trimstr/1": .one { (value, part, _) throws(Exception) in
      var text = value
      if try starts(text, part, "startswith() requires string inputs") {
        text = .string(Array((text.textBytes ?? []).dropFirst(part.textBytes?.count ?? 0)))
      }
      if try ends(text, part, "endswith() requires string inputs") {
        text = .string(Array((text.textBytes ?? []).dropLast(part.textBytes?.count ?? 0)))
      }
      return text
    },
    "trim/0": .zero { (value, _) throws(Exception) in try trimmed(value, left: true, right: true) },
    "ltrim/0": .zero { (value, _) throws(Exception) in try trimmed(value, left: true, right: false) },
    "rtrim/0": .zero { (value, _) throws(Exception) in try trimmed(value, left: false, right: true) },
    "split/1": .one { (value, separator, frame) throws(Exception) in
      guard let text = value.textBytes, let part = separator.textBytes else {
        throw Exception("split input and separator must be strings")
      }
      return try split(text, by: part, frame.run)
    },
    "explode/0": .zero { (value, frame) throws(Exception) in
      guard let text = value.string else { throw Exception("explode input must be a string") }
      try frame.run.reserve(text.utf8.count * MemoryLayout<Value>.stride)
      return .array(text.unicodeScalars.map { .number(Int($0.value)) })
    },
    "implode/0": .zero { (value, _) throws(Exception) in try implode(value) },
    "ascii_downcase/0": .zero { (value, _) throws(Exception) in
      guard let text = value.textBytes else { throw Exception("explode input must be a string") }
      return .string(text.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 })
    },
    "ascii_upcase/0": .zero { (value, _) throws(Exception) in
      guard let text = value.textBytes else { throw Exception("explode input must be a string") }
      return .string(text.map { $0 &- 0x61 < 26 ? $0 & 0xdf : $0 })
    },
  ]

  private static func starts(_ value: Value, _ part: Value, _ complaint: String) throws(Exception) -> Bool {
    guard let text = value.textBytes, let wanted = part.textBytes else { throw Exception(complaint) }
    return text.starts(with: wanted)
  }

  private static func ends(_ value: Value, _ part: Value, _ complaint: String) throws(Exception) -> Bool {
    guard let text = value.textBytes, let wanted = part.textBytes else { throw Exception(complaint) }
    return text.count >= wanted.count && text[(text.count - wanted.count)...].elementsEqual(wanted)
  }

  private static func trimmed(_ value: Value, left: Bool, right: Bool) throws(Exception) -> Value {
    guard let text = value.string else { throw Exception("trim input must be a string") }
    let all = Substring(text).unicodeScalars
    var scalars = all
    if left { while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() } }
    if right { while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() } }
    // The text itself where there is nothing to trim: `path(trim)` depends on its identity.
    if scalars.startIndex == all.startIndex, scalars.endIndex == all.endIndex { return value }
    return .string(String(scalars))
  }

  private static func implode(_ value: Value) throws(Exception) -> Value {
    guard value.kind == .array else { throw Exception("implode input must be an array") }
    var text: [UInt8] = []
    var elements = value.elements
    while let element = elements.next() {
      guard let code = element.double, !code.isNaN else {
        throw typeError(element, "can't be imploded, unicode codepoint needs to be numeric")
      }
      let number = code > -1 && code < 1_114_112 ? UInt32(code) : 0xfffd
      text.append(contentsOf: String(Character(Unicode.Scalar(number) ?? "\u{fffd}")).utf8)
    }
    return .string(text)
  }
}
