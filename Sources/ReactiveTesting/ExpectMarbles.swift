import Reactive
import Testing

/// A test in marbles: runs what `build` makes of a fresh virtual clock to its end, and compares it with a drawing.
///
/// ```
/// try expectMarbles("-A--B-|") { clock in try clock.hot("-a--b-|").map { $0.uppercased() } }
/// ```
/// Elements longer than one character are drawn as the letters a, b, … in order of appearance; `legend` says what they
/// must stand for. A failure points at the first column that differs. With a `seed`, what is due at one instant comes in
/// an order that the seed makes.
@discardableResult
public func expectMarbles<Element: Sendable>(
  _ expected: String, legend: [String] = [], from start: Duration = .zero, until end: Duration? = nil,
  seed: UInt64? = nil, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
  column: Int = #column, _ build: (VirtualScheduler) throws -> Observable<Element>
) throws -> Recording<Element> {
  let clock = VirtualScheduler(seed: seed)
  let recording = clock.record(try build(clock), from: start, until: end)
  let ended = clock.run(limit: 100_000)
  let actual = recording.drawing
  var findings: [String] = []
  if let difference = marbleDifference(expected, actual.line) {
    findings.append(difference + (seed.map { "\nseed: \($0)" } ?? ""))
  }
  if actual.legend != legend { findings.append("the legend is \(actual.legend), not \(legend)") }
  if !ended { findings.append("the clock still had work after 100,000 pieces") }
  let location = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  for finding in findings { Issue.record(Comment(rawValue: finding), sourceLocation: location) }
  return recording
}

/// Tries the promises that every operator makes on a new one; each that is broken is an issue of the test.
///
/// ```
/// try expectPromises(of: .calling("doubled") { source, _, probe in source.doubled { try probe($0) } })
/// ```
public func expectPromises(
  of contract: Contract, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
  column: Int = #column
) throws {
  let location = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  for promise in Contract.Promise.allCases {
    for breach in try contract.breaches(of: promise) {
      Issue.record(
        Comment(rawValue: "\(contract.testDescription), \(promise.rawValue): \(breach)"),
        sourceLocation: location)
    }
  }
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
