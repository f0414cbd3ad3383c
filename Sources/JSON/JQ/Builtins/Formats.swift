// `@base64 "…"` and its kind.

/// The formats of `@name`.
enum Format: String, Sendable {
  case text, json, csv, tsv, html, uri, urid, sh, base64, base64d, base32, base32d
}

extension Builtins {
  static let formats: [String: Builtin] = [
    "format/1": .one { (value, name, frame) throws(Exception) in
      guard let text = name.string else { throw typeError(name, "is not a valid format") }
      return try formatted(value, Format(rawValue: text), text, frame.run)
    }
  ]
}

/// A value in a format; `name` is what the program called it.
func formatted(_ value: Value, _ format: Format?, _ name: String, _ run: Run) throws(Exception) -> Value {
  switch format {
  case nil: throw Exception("\(name) is not a valid format")
  case .text: return try textValue(value, run)
  case .json: return try jsonText(value, run)
  case .csv:
    return try row(value, ",", "cannot be csv-formatted, only array", run) { text, out in
      out.append(UInt8(ascii: "\""))
      for byte in text {
        switch byte {
        case 0: out.append(contentsOf: escapedNUL)
        case UInt8(ascii: "\""): out.append(contentsOf: [byte, byte])
        default: out.append(byte)
        }
      }
      out.append(UInt8(ascii: "\""))
    }
  case .tsv:
    return try row(value, "\t", "cannot be tsv-formatted, only array", run) { text, out in
      for byte in text {
        switch byte {
        case 0: out.append(contentsOf: escapedNUL)
        case 0x09: out.append(contentsOf: Array("\\t".utf8))
        case 0x0a: out.append(contentsOf: Array("\\n".utf8))
        case 0x0d: out.append(contentsOf: Array("\\r".utf8))
        case UInt8(ascii: "\\"): out.append(contentsOf: Array("\\\\".utf8))
        default: out.append(byte)
        }
      }
    }
  case .html:
    return try replaced(value, run) { byte in
      switch byte {
      case 0: "\\0"
      case UInt8(ascii: "&"): "&amp;"
      case UInt8(ascii: "<"): "&lt;"
      case UInt8(ascii: ">"): "&gt;"
      case UInt8(ascii: "'"): "&apos;"
      case UInt8(ascii: "\""): "&quot;"
      default: nil
      }
    }
  case .sh: return try shell(value, run)
  case .uri: return try percentEncoded(value, run)
  case .urid: return try percentDecoded(value, run)
  case .base64: return .string(Radix.base64.encode(try bytes(of: value, run)))
  case .base32: return .string(Radix.base32.encode(try bytes(of: value, run)))
  case .base64d: return try decoded(value, .base64, run)
  case .base32d: return try decoded(value, .base32, run)
  }
}

/// The escape that jq writes for U+0000.
private let escapedNUL = Array("\\0".utf8)

private func bytes(of value: Value, _ run: Run) throws(Exception) -> [UInt8] {
  let bytes = try textValue(value, run).textBytes ?? []
  try run.charge(bytes.count * 2)
  return bytes
}

private func replaced(
  _ value: Value, _ run: Run, _ replacement: (UInt8) -> StaticString?
) throws(Exception) -> Value {
  var out: [UInt8] = []
  for byte in try bytes(of: value, run) {
    if let text = replacement(byte) {
      out.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    } else {
      out.append(byte)
    }
  }
  return .string(out)
}

private func row(
  _ value: Value, _ separator: String, _ complaint: String, _ run: Run,
  _ quote: ([UInt8], inout [UInt8]) -> Void
) throws(Exception) -> Value {
  guard value.kind == .array else { throw typeError(value, complaint) }
  var out: [UInt8] = []
  var isFirst = true
  var elements = value.elements
  while let item = elements.next() {
    if !isFirst { out.append(contentsOf: separator.utf8) }
    isFirst = false
    switch item.kind {
    case .null: break
    case .boolean: out.append(contentsOf: item.json)
    case .number: if !(item.double ?? 0).isNaN { out.append(contentsOf: item.json) }
    case .string: quote(item.textBytes ?? [], &out)
    default: throw typeError(item, "is not valid in a csv row")
    }
  }
  try run.charge(out.count)
  return .string(out)
}

private func shell(_ value: Value, _ run: Run) throws(Exception) -> Value {
  var out: [UInt8] = []
  for (number, item) in (value.items ?? [value]).enumerated() {
    if number > 0 { out.append(0x20) }
    switch item.kind {
    case .array, .object: throw typeError(item, "can not be escaped for shell")
    case .string:
      out.append(UInt8(ascii: "'"))
      for byte in item.textBytes ?? [] {
        switch byte {
        case 0: out.append(contentsOf: escapedNUL)
        case UInt8(ascii: "'"): out.append(contentsOf: Array("'\\''".utf8))
        default: out.append(byte)
        }
      }
      out.append(UInt8(ascii: "'"))
    default: out.append(contentsOf: item.json)
    }
  }
  try run.charge(out.count)
  return .string(out)
}

private func percentEncoded(_ value: Value, _ run: Run) throws(Exception) -> Value {
  let digits = Array("0123456789ABCDEF".utf8)
  var out: [UInt8] = []
  for byte in try bytes(of: value, run) {
    let isUnreserved =
      byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2d || byte == 0x2e || byte == 0x5f
      || byte == 0x7e
    if isUnreserved {
      out.append(byte)
    } else {
      out.append(contentsOf: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }
  }
  return .string(out)
}

private func percentDecoded(_ value: Value, _ run: Run) throws(Exception) -> Value {
  let text = try bytes(of: value, run)
  var out: [UInt8] = []
  var at = 0
  while at < text.count {
    guard text[at] == UInt8(ascii: "%") else {
      out.append(text[at])
      at += 1
      continue
    }
    guard at + 2 < text.count, let high = hexDigit(text[at + 1]), let low = hexDigit(text[at + 2]) else {
      throw typeError(.string(text), "is not a valid uri encoding")
    }
    out.append(UInt8(high << 4 | low))
    at += 3
  }
  guard out.withUnsafeBufferPointer({ isValidUTF8($0) }) else {
    throw typeError(.string(text), "is not a valid uri encoding")
  }
  return .string(out)
}

private func decoded(_ value: Value, _ radix: Radix, _ run: Run) throws(Exception) -> Value {
  let text = try bytes(of: value, run)
  switch radix.decode(text) {
  case .bytes(let out): return out.withUnsafeBufferPointer { .string(repairing: $0) }
  case .foreign: throw typeError(.string(text), "is not valid \(radix.name) data")
  case .trailing: throw typeError(.string(text), "trailing \(radix.name) byte found")
  }
}
