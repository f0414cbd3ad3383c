import Foundation

/// A file that grows → `jsonl` to a named pipe, whose reader comes and goes: it hears each line at least once; what a
/// killed run had written of its last epoch comes again, since a pipe keeps no mark.
final class Fifo: Scenario {
  let place: Place
  let logs: [String] = []
  private let input: GrowingFile
  private var reader: Int32 = -1
  private var heard = Data()
  private var isEnding = false
  private var turns = 0

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: fifo
      epoch: { events: 50, time: 20ms }
      sources: { input: { file: { path: in.jsonl, follow: true } } }
      sinks: { pipe: { jsonl: pipe }, log: { jsonl: log.jsonl } }

      """)
    mkfifo(place["pipe"], 0o600)
    input = try GrowingFile("in.jsonl", in: place, seed: 12) { "{\"n\":\($0)}" }
  }

  deinit { if reader >= 0 { close(reader) } }

  func tend(_ life: Life?) throws {
    if !isEnding { try input.tend(mayRotate: false) }
    turns += 1
    // Where nobody reads, the pipeline waits; what is in a pipe without anybody at either end is gone.
    if reader < 0 { reader = open(place["pipe"], O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    listen()
  }

  private func listen() {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = read(reader, &buffer, buffer.count), count > 0 { heard += buffer[..<count] }
  }

  func prepareEnd() throws {
    try input.add(1)
    isEnding = true
  }

  private func isHeard(_ lines: [String]) -> Bool { Set(lines).isSuperset(of: input.lines) }

  var isSettled: Bool { place.bytes("log.jsonl").lines.count >= input.count && isHeard(heard.lines) }

  func verdict() -> Verdict {
    listen()
    var verdict = Verdict.comparing(place.logLines("log.jsonl"), with: input.lines, in: "log.jsonl")
    let truth = Set(input.lines)
    let lines = heard.lines
    let lost = truth.subtracting(lines)
    verdict.lost += lost.count
    if let first = lost.first { verdict.findings.append("\(first) did not come through the pipe") }
    verdict.repeated += lines.count - Set(lines).count
    // A line that a kill has cut in two runs into the next; there is one such at most in a life.
    verdict.count += lines.count
    return verdict
  }
}
