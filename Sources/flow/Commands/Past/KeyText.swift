import JSON

/// A key as it is typed: text, or JSON.
struct KeyText {
  let text: String
  private let value: Value?

  init(_ text: String) {
    self.text = text
    value = try? Value.parse(text, .strict)
  }

  /// By its bytes, as in the log: an é of one character and one of two are two keys.
  func means(_ key: Value) -> Bool {
    key.string.map { $0.utf8.elementsEqual(text.utf8) } == true || value == key
  }

  /// The JSON object or array that it is; nil for other text.
  var line: Value? { value.flatMap { $0.kind == .object || $0.kind == .array ? $0 : nil } }

  static func text(of key: Value) -> String { key.string ?? key.description }
}
