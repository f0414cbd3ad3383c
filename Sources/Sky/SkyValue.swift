// Short ways to write the JSON of an answer.

import JSON

extension Value {
  /// An object of these members, whose names are distinct, in this order.
  static func record(_ members: KeyValuePairs<String, Value>) -> Value {
    .object(Shape(members.map { Key($0.key) }), members.map(\.value))
  }

  /// A text, or null.
  static func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }

  /// A number, or null.
  static func count(_ number: Int?) -> Value { number.map { .number($0) } ?? .null }

  /// True, false, or null.
  static func flag(_ flag: Bool?) -> Value { flag.map { .bool($0) } ?? .null }
}

extension SkyAnswer {
  /// An answer of one type with some text.
  static func text(
    _ status: Int = 200, _ body: String, type: String, headers: [(name: String, value: String)] = []
  ) -> SkyAnswer {
    SkyAnswer(status: status, headers: [("Content-Type", type)] + headers, body: Array(body.utf8))
  }
}
