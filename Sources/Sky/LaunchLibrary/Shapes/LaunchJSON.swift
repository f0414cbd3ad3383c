import JSON

/// What the answers of launches are made of, besides.
extension Value {
  static func moment(_ time: SkyTime) -> Value { .string(UTC.text(time.seconds)) }

  /// The members of another object after these.
  func adding(_ members: KeyValuePairs<String, Value>) -> Value {
    var object = self
    for (name, value) in members { object.setMember(Key(name), value) }
    return object
  }
}
