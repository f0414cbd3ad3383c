import Reactive
import Testing

/// Runs what `build` makes of a fresh virtual clock to its end, and compares it with a drawing.
///
/// ```
/// try expectMarbles("-A--B-|") { clock in try clock.hot("-a--b-|").map { $0.uppercased() } }
/// ```
/// Elements longer than one character are drawn as the letters a, b, … in order of appearance; `legend` says what they
/// must stand for. A failure points at the first column that differs.
@discardableResult
func expectMarbles<Element: Sendable>(
  _ expected: String, legend: [String] = [], from start: Duration = .zero, until end: Duration? = nil,
  seed: UInt64? = nil, location: SourceLocation = #_sourceLocation,
  _ build: (VirtualScheduler) throws -> Observable<Element>
) throws -> Recording<Element> {
  let clock = VirtualScheduler(seed: seed)
  let recording = clock.record(try build(clock), from: start, until: end)
  let ended = clock.run(limit: 100_000)
  let actual = recording.drawing
  if let difference = marbleDifference(expected, actual.line) {
    let seedNote = seed.map { "\nseed: \($0)" } ?? ""
    Issue.record(Comment(rawValue: difference + seedNote), sourceLocation: location)
  }
  #expect(actual.legend == legend, sourceLocation: location)
  #expect(ended, "the clock still had work after 100 000 pieces", sourceLocation: location)
  return recording
}

/// Where two drawings differ, with a mark below the column; nil if they are the same.
func marbleDifference(_ expected: String, _ actual: String) -> String? {
  // Time that passes after the last event cannot be seen in a recording.
  let wanted = expected.trimmingSuffix("-")
  if wanted == actual { return nil }
  let column = zip(wanted, actual).prefix { $0 == $1 }.count
  return """
    the streams differ in column \(column + 1):
      expected  \(wanted)
      actual    \(actual)
                \(String(repeating: " ", count: column))^
    """
}

extension String {
  fileprivate func trimmingSuffix(_ character: Character) -> String {
    var text = self[...]
    while text.last == character { text.removeLast() }
    return String(text)
  }
}
