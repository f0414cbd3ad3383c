import Delivery
import JSON
import Language

/// How the values of a column become JSON, by its type in PostgreSQL.
indirect enum PostgreSQLForm {
  case text, boolean, integer, float, number, json, time, zonedTime, bytes
  case list(PostgreSQLForm)

  /// The numbers of types are those of each server.
  init(type: UInt32) {
    switch type {
    case 16: self = .boolean
    case 20, 21, 23, 26: self = .integer
    case 700, 701: self = .float
    case 1700: self = .number
    case 114, 3802: self = .json
    case 1114: self = .time
    case 1184: self = .zonedTime
    case 17: self = .bytes
    default: self = Self.elements[type].map { .list(PostgreSQLForm(type: $0)) } ?? .text
    }
  }

  /// The types of elements, by those of their arrays; those beyond are texts.
  private static let elements: [UInt32: UInt32] = [
    1000: 16, 1001: 17, 1005: 21, 1007: 23, 1016: 20, 1028: 26, 1021: 700, 1022: 701, 1231: 1700, 199: 114,
    3807: 3802, 1115: 1114, 1185: 1184, 1009: 25, 1015: 1043, 1014: 1042, 1182: 1082, 1183: 1083, 2951: 2950,
    1187: 1186,
  ]

  /// Whether a value of this type in a parameter is JSON, or text that JSON may be written as.
  static func takesJSON(_ type: UInt32) -> Bool { [114, 3802, 25, 1043, 1042, 0].contains(type) }

  /// The value, whose size is added.
  @inline(__always)
  func value(_ bytes: UnsafeBufferPointer<UInt8>?, _ size: inout Int) -> Value {
    size += 16
    guard let bytes else { return .null }
    switch self {
    case .integer: return Self.integer(bytes)
    case .text:
      size += bytes.count
      return .string(repairing: bytes)
    default:
      size += bytes.count
      return other(bytes)
    }
  }

  private static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> Value {
    // A double has 15 digits.
    guard bytes.count <= 15 else { return Value.literal(bytes) ?? .string(repairing: bytes) }
    var number = 0
    for byte in bytes where byte != UInt8(ascii: "-") { number = number * 10 + Int(byte &- 0x30) }
    return .number(bytes.first == UInt8(ascii: "-") ? -number : number)
  }

  private func other(_ bytes: UnsafeBufferPointer<UInt8>) -> Value {
    let plain = Value.string(repairing: bytes)
    switch self {
    case .boolean: return .bool(bytes.first == UInt8(ascii: "t"))
    case .float, .number:
      // NaN and Infinity are no numbers of JSON.
      let isNumber = bytes.last.map { $0 >= 0x30 && $0 <= 0x39 } ?? false
      guard isNumber, let number = Value.literal(bytes) else { return plain }
      if case .float = self, let double = number.double { return .number(double) }
      return number
    case .json: return (try? Value.parse(bytes).detach()) ?? plain
    case .time, .zonedTime: return time(bytes)
    case .bytes:
      let digits = bytes.dropFirst(2)
      var decoded: [UInt8] = []
      decoded.reserveCapacity(digits.count / 2)
      var high: UInt8?
      for digit in digits {
        let number = digit < 0x3a ? digit &- 0x30 : (digit | 0x20) &- 0x57
        if let first = high { decoded.append(first << 4 | number) }
        high = high == nil ? number : nil
      }
      return .string(base64(decoded))
    case .list(let form): return form.list(bytes) ?? plain
    case .integer, .text: return plain
    }
  }

  /// A time in ISO 8601, `2026-01-01T10:00:00.5`, with Z where its type has a zone, which is UTC; infinity and times
  /// before Christ as they are.
  private func time(_ bytes: UnsafeBufferPointer<UInt8>) -> Value {
    guard bytes.count >= 19, bytes.last != UInt8(ascii: "C"),
      let space = bytes.firstIndex(of: UInt8(ascii: " "))
    else { return .string(repairing: bytes) }
    var text = Array(bytes)
    text[space] = UInt8(ascii: "T")
    if case .zonedTime = self, text.suffix(3).elementsEqual("+00".utf8) {
      text.removeLast(3)
      text.append(UInt8(ascii: "Z"))
    }
    return .string(text)
  }

  /// An array as the server writes it, `{1,NULL,"a,\"b\""}` or `[2:3]={{1},{2}}`; nil where it is none.
  private func list(_ bytes: UnsafeBufferPointer<UInt8>) -> Value? {
    var place = 0
    // The bounds, where they do not begin with 1.
    if bytes.first == UInt8(ascii: "[") {
      guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      place = sign + 1
    }
    return list(bytes, &place)
  }

  private func list(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Value? {
    var items: [Value] = []
    guard place < bytes.count, bytes[place] == UInt8(ascii: "{") else { return nil }
    place += 1
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "}"):
        place += 1
        return .array(items)
      case UInt8(ascii: ","): place += 1
      case UInt8(ascii: "{"):
        guard let inner = list(bytes, &place) else { return nil }
        items.append(inner)
      default: items.append(element(bytes, &place))
      }
    }
    return nil
  }

  private func element(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Value {
    var text: [UInt8] = []
    let isQuoted = bytes[place] == UInt8(ascii: "\"")
    if isQuoted { place += 1 }
    while place < bytes.count {
      let byte = bytes[place]
      if isQuoted ? byte == UInt8(ascii: "\"") : byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") {
        break
      }
      if byte == UInt8(ascii: "\\"), place + 1 < bytes.count { place += 1 }
      text.append(bytes[place])
      place += 1
    }
    if isQuoted { place += 1 }
    if !isQuoted, text.elementsEqual("NULL".utf8) { return .null }
    var size = 0
    return text.withUnsafeBufferPointer { value($0, &size) }
  }

  /// A JSON value as the text of a parameter; nil for null.
  static func parameter(_ value: Value, of type: UInt32) -> String? {
    switch value.kind {
    case .null: nil
    case .string: value.string ?? ""
    case .array where !takesJSON(type): array(value)
    default: value.description
    }
  }

  private static func array(_ value: Value) -> String {
    let items = (value.items ?? []).map { item in
      switch item.kind {
      case .null: return "NULL"
      case .array: return array(item)
      default:
        let text = item.string ?? item.description
        return "\"\(text.replacing("\\", by: "\\\\").replacing("\"", by: "\\\""))\""
      }
    }
    return "{\(items.joined(separator: ","))}"
  }
}
