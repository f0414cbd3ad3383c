import JSON

/// A key as it is typed: text, or JSON.
struct KeyText {
  let text: String
  private let value: Value?

  init(_ text: String) {
    self.text = text
    value = try? Value.parse(text, .strict)
  }

  func means(_ key: Value) -> Bool { key.string == text || value == key }

  /// The JSON object or array that it is; nil for other text.
  var line: Value? { value.flatMap { $0.kind == .object || $0.kind == .array ? $0 : nil } }

  static func text(of key: Value) -> String { key.string ?? key.description }
}
