import Foundation

/// A file that grows and is rotated → windows by the time in the events, several keys at one instant → `jsonl`: the same
/// windows in the same order as in a run that nothing disturbs.
final class WindowSteps: Scenario {
  let place: Place
  let logs = ["tumbling.jsonl", "sliding.jsonl", "session.jsonl"]
  private let input: GrowingFile
  private var isEnding = false
  /// The key of the line that ends all windows.
  private static let closing = "closing"

  init(_ place: Place) throws {
    self.place = place
    try place.write("p.yaml", Self.yaml("{ path: in.jsonl, follow: true }"))
    input = try GrowingFile("in.jsonl", in: place, seed: 2) { n in
      // Three events an instant, and a pause now and then that ends a session.
      "{\"t\":\(n / 3 + n / 50 * 30),\"k\":\"\(n * 7 % 11 % 5)\",\"n\":\(n)}"
    }
  }

  private static func yaml(_ file: String) -> String {
    """
    name: windowed
    epoch: { events: 100, time: 20ms }
    sources: { input: { file: \(file) } }
    streams:
      tumbling: { from: input, steps: [ { window: { tumbling: 5s, time: .t, key: .k, emit: 'map(.n)' } } ] }
      sliding:
        from: input
        steps: [ { window: { sliding: { size: 12s, every: 4s }, time: .t, key: .k, emit: length } } ]
      session: { from: input, steps: [ { window: { session: { gap: 8s }, time: .t, key: .k, emit: 'map(.n)' } } ] }
    sinks:
      all: { jsonl: all.jsonl, from: input }
      tumbling: { jsonl: { path: tumbling.jsonl, rotate: { size: 8KiB, keep: 5000 } }, from: tumbling }
      sliding: { jsonl: sliding.jsonl, from: sliding }
      session: { jsonl: session.jsonl, from: session }

    """
  }

  func tend(_ life: Life?) throws {
    if !isEnding { try input.tend(mayRotate: place.size("all.jsonl") > 0) }
  }

  func prepareEnd() throws {
    try input.add(1)
    isEnding = true
    try place.append("in.jsonl", "{\"t\":100000000,\"k\":\"\(Self.closing)\",\"n\":0}\n")
  }

  var isSettled: Bool { place.bytes("all.jsonl").count { $0 == 0x0a } > input.count }

  func verdict() throws -> Verdict {
    let fresh = try Place("undisturbed")
    try fresh.write("p.yaml", Self.yaml("in.jsonl"))
    try fresh.write(
      "in.jsonl", (input.lines + [place.bytes("in.jsonl").lines.last ?? ""]).joined(separator: "\n"))
    guard try Life(fresh, []).end(within: 300) == .exited(0) else {
      return Verdict(findings: ["a run that nothing disturbed failed: \(fresh.bytes("errors").lines)"])
    }
    func windows(_ place: Place, _ log: String) -> [String] {
      place.logLines(log).filter { !$0.contains(Self.closing) }
    }
    var verdict = Verdict()
    for log in logs {
      verdict.add(.comparing(windows(place, log), with: windows(fresh, log), in: log))
    }
    return verdict
  }
}
