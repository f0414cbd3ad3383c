import JSON
import Language
import System

extension TextFormat {
  /// A form as browsers and services send it.
  package static let form: TextFormat = .init(
    Variant(
      "form", "a form (application/x-www-form-urlencoded) as one object",
      details: "All values are text. A name that occurs several times has a list of them.",
      examples: [
        .init(
          "the fields of a form", "form", input: "job=nightly+backup&tag=a&tag=b%26c",
          output: #"{"job":"nightly backup","tag":["a","b&c"]}"#)
      ]),
    isWhole: true
  ) { input in
    WholeText(input, .form) { text in
      let lines = text.split { $0 == 0x0a || $0 == 0x0d }
      return lines.isEmpty
        ? [] : [formValue(lines.flatMap { $0.split(separator: UInt8(ascii: "&")) }.map(pair))]
    }
  }
}

private func pair(_ field: Slice<ByteView>) -> (name: String, value: String) {
  let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
  let texts = parts.map { part in
    percentDecoded(String(decoding: part.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }, as: UTF8.self))
  }
  return (texts[0], texts.count > 1 ? texts[1] : "")
}

/// The fields of a form, or of a query, as an object.
package func formValue(_ fields: [(name: String, value: String)]) -> Value {
  var names: [Key] = []
  var values: [Key: [Value]] = [:]
  for (name, value) in fields {
    let key = Key(name)
    if values[key] == nil { names.append(key) }
    values[key, default: []].append(.string(value))
  }
  return .object(
    Shape(names),
    names.map { name in
      let all = values[name] ?? []
      return all.count == 1 ? all[0] : .array(all)
    })
}
