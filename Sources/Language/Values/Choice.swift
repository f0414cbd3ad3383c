/// The value that a name stands for, or a flaw that names the nearest of the allowed ones.
///
///     try choice("log", among: ["log": 1, "stop": 2])   // 1
///     try choice("stpo", among: ["log": 1, "stop": 2])  // throws: did you mean “stop”?
public func choice<Value>(
  _ text: String, among allowed: KeyValuePairs<String, Value>
) throws(TextError) -> Value {
  if let found = allowed.first(where: { $0.key == text }) { return found.value }
  let names = allowed.map(\.key)
  throw TextError(
    text.isEmpty ? "a choice is missing here" : "\(quoted(text)) is not one of the choices", in: text,
    hint: suggestion(for: text, among: names))
}

/// The case that a name stands for.
public func choice<Value: CaseIterable & RawRepresentable>(
  _ text: String, of type: Value.Type
) throws(TextError) -> Value where Value.RawValue == String {
  if let found = Value(rawValue: text) { return found }
  throw TextError(
    text.isEmpty ? "a choice is missing here" : "\(quoted(text)) is not one of the choices", in: text,
    hint: suggestion(for: text, among: type.allCases.map(\.rawValue)))
}
