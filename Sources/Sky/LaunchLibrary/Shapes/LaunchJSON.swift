import JSON

/// Short names for the values that answers are made of.
extension Value {
  static func fields(_ members: KeyValuePairs<String, Value>) -> Value {
    .object(Shape(members.map { Key($0.key) }), members.map(\.value))
  }

  static func whole(_ number: Int?) -> Value { number.map { .number($0) } ?? .null }
  static func moment(_ time: SkyTime) -> Value { .string(UTC.text(time.wholeSeconds)) }

  /// The members of another object after these.
  func adding(_ members: KeyValuePairs<String, Value>) -> Value {
    var object = self
    for (name, value) in members { object.setMember(Key(name), value) }
    return object
  }
}
