// Short ways to write the JSON of an answer.

import JSON

extension Value {
  /// An object of these members, in this order.
  static func record(_ members: KeyValuePairs<String, Value>) -> Value {
    var object = Value.emptyObject
    for (name, value) in members { object.setMember(Key(name), value) }
    return object
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
