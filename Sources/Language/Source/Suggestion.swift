/// A suggestion for a name that is not allowed: the nearest one, or the list of them all.
///
///     suggestion(for: "filtr", among: ["filter", "map"])  // did you mean “filter”?
///     suggestion(for: "xyz", among: ["filter", "map"])    // it can be “filter” or “map”
public func suggestion(for given: String, among allowed: [String]) -> String? {
  if let near = nearest(to: given, among: allowed) { return "did you mean \(quoted(near))?" }
  guard !allowed.isEmpty, allowed.count <= 24 else { return nil }
  return "it can be \(alternatives(allowed))"
}

/// The allowed name that was probably meant, if any is near; the first of equally near ones.
///
/// Case, `-`, `_` and blanks do not count. Otherwise one mistake (a letter missing, added, wrong, or two
/// swapped) in three letters is near.
public func nearest(to given: String, among allowed: [String]) -> String? {
  let wanted = bare(given)
  guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
  var best: (name: String, distance: Int)?
  for name in allowed {
    let candidate = bare(name)
    let distance = editDistance(wanted, candidate)
    let tolerance = max(1, max(wanted.count, candidate.count) / 3)
    let isStart = wanted.count >= 3 && candidate.starts(with: wanted)
    // Of two letters one wrong leaves nothing in common worth the name of a typo.
    guard distance == 0 || isStart || (distance <= tolerance && min(wanted.count, candidate.count) > 2) else {
      continue
    }
    if distance < best?.distance ?? .max { best = (name, distance) }
  }
  return best?.name
}

/// Names as a sentence lists them: “a”, “b” or “c”.
public func alternatives(_ names: [String]) -> String {
  let quotedNames = names.map(quoted)
  guard let last = quotedNames.last, quotedNames.count > 1 else { return quotedNames.first ?? "" }
  return quotedNames.dropLast().joined(separator: ", ") + " or " + last
}

private func bare(_ name: String) -> [Character] {
  name.prefix(80).lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }.map { $0 }
}

/// How many letters must be added, dropped, changed or swapped with their neighbour to get from one to the other.
func editDistance(_ left: [Character], _ right: [Character]) -> Int {
  if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
  var older: [Int] = []
  var previous = Array(0...right.count)
  for i in 1...left.count {
    var row = [i] + Array(repeating: 0, count: right.count)
    for j in 1...right.count {
      let same = left[i - 1] == right[j - 1]
      row[j] = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same ? 0 : 1))
      if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
        row[j] = min(row[j], older[j - 2] + 1)
      }
    }
    older = previous
    previous = row
  }
  return previous[right.count]
}

/// The value that a name stands for, or an error that suggests the nearest of the allowed ones.
///
///     try choice("log", among: ["log": 1, "stop": 2])   // 1
///     try choice("stpo", among: ["log": 1, "stop": 2])  // throws: did you mean “stop”?
public func choice<Value>(
  _ text: String, among allowed: KeyValuePairs<String, Value>
) throws(TextError) -> Value {
  if let found = allowed.first(where: { $0.key == text }) { return found.value }
  let names = allowed.map(\.key)
  throw TextError(
    text.isEmpty ? "the value is empty" : "\(quoted(text)) is not one of the choices", in: text,
    hint: suggestion(for: text, among: names))
}

/// The case that a name stands for.
public func choice<Value: CaseIterable & RawRepresentable>(
  _ text: String, of type: Value.Type
) throws(TextError) -> Value where Value.RawValue == String {
  if let found = Value(rawValue: text) { return found }
  throw TextError(
    text.isEmpty ? "the value is empty" : "\(quoted(text)) is not one of the choices", in: text,
    hint: suggestion(for: text, among: type.allCases.map(\.rawValue)))
}
