import Expectations
import Foundation
import TestScale
import Testing

/// `flow run` on a file that others write to, move and remove meanwhile.
@Suite(.timeLimit(.minutes(30))) struct RunFollowTests {
  private func following(_ body: (Workplace, Running) throws -> Void) throws {
    let place = try Workplace(
      """
      name: p
      sources: { in: { file: { path: in.jsonl, follow: true } } }
      steps: []
      sinks: { log: { jsonl: log.jsonl } }
      """)
    let running = try place.start()
    try body(place, running)
    let (outcome, _) = try running.end(by: SIGINT)
    expect(outcome.status, equals: 130)
  }

  private func numbers(_ range: ClosedRange<Int>) -> String { range.map { "\($0)\n" }.joined() }
  private func texts(_ range: ClosedRange<Int>) -> [String] { range.map { "\($0)" } }

  @Test("a file that does not exist yet is waited for; one that vanishes and comes back is read on")
  func vanishing() throws {
    try following { place, running in
      try running.waitForErrors("in.jsonl does not exist yet")
      try place.write("in.jsonl", "1\n")
      try running.waitForLines(1, in: "log.jsonl")
      try place.remove("in.jsonl")
      try running.waitForErrors("in.jsonl was removed; waiting for a new one")
      try place.write("in.jsonl", "2\n3\n")
      try running.waitForLines(3, in: "log.jsonl")
      expect(place.lines("log.jsonl"), equals: ["1", "2", "3"])
    }
  }

  @Test("through many rotations no line is lost or doubled, those after the renaming neither")
  func rotations() throws {
    try following { place, running in
      try place.write("in.jsonl", "1\n")
      try running.waitForLines(1, in: "log.jsonl")
      var last = 1
      for round in 1...20 {
        try place.append("in.jsonl", numbers(last + 1...last + 100))
        try place.move("in.jsonl", to: "in.jsonl.\(round)")
        // Who writes may hold the old file for a while.
        try place.append("in.jsonl.\(round)", numbers(last + 101...last + 150))
        try place.append("in.jsonl", numbers(last + 151...last + 200))
        last += 200
        try running.waitForLines(last, in: "log.jsonl")
      }
      expect(place.lines("log.jsonl"), equals: texts(1...last))
    }
  }

  @Test("a file that is cut to nothing is read from its beginning, once")
  func truncation() throws {
    try following { place, running in
      var all: [String] = []
      for round in 1...10 {
        let lines = (1...(12 - round)).map { "\(round * 1000 + $0)" }
        let file = open(place["in.jsonl"], O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        close(file)
        if round > 1 { try running.wait(for: "a cut") { running.errors.contains("was truncated") } }
        try place.append("in.jsonl", lines.map { $0 + "\n" }.joined())
        all += lines
        try running.waitForLines(all.count, in: "log.jsonl")
      }
      expect(place.lines("log.jsonl"), equals: all)
    }
  }

  @Test("a path that cannot be followed is reported and waited for")
  func unreadable() throws {
    try following { place, running in
      try place.write("in.jsonl", "1\n")
      try running.waitForLines(1, in: "log.jsonl")
      try place.remove("in.jsonl")
      expect(mkdir(place["in.jsonl"], 0o700), equals: 0)
      try running.waitForErrors("warning: in.jsonl: cannot follow: only plain files can be; waiting until")
      expect(rmdir(place["in.jsonl"]), equals: 0)
      try place.write("in.jsonl", "2\n")
      try running.waitForLines(2, in: "log.jsonl")
    }
    guard RunBadInputTests.canGiveUpRights else { return }
    let place = try Workplace(
      RunBadInputTests.pipeline("{ file: { path: in.jsonl, follow: true } }"), input: "1\n")
    let running = try place.start(with: geteuid() == 0 ? RunBadInputTests.unprivileged : "env")
    try running.waitForLines(1, in: "log.jsonl")
    try place.write("new", "2\n")
    #expect(chmod(place["new"], 0) == 0 && rename(place["new"], place["in.jsonl"]) == 0)
    try running.waitForErrors("warning: in.jsonl: cannot open: Permission denied; waiting until")
    expect(chmod(place["in.jsonl"], 0o600), equals: 0)
    try running.waitForLines(2, in: "log.jsonl")
    try expect(running.end(by: SIGINT).outcome.status, equals: 130)
  }

  @Test(
    "with --once, a file that a rotation has just moved away is no failure: its rest is read, and the new one next time"
  )
  func missingOnce() throws {
    let place = try Workplace(
      """
      sources: { in: { file: { path: in.jsonl, follow: true } } }
      sinks: { log: { jsonl: log.jsonl } }
      """)
    func once() throws -> Outcome { try place.flow("run", "--once", "--state", "st", "p.yaml") }
    try expect(once().status, equals: 1, "it has never been there")
    try place.write("in.jsonl", "1\n2\n")
    try expect(once().status, equals: 0)
    try place.append("in.jsonl", "3\n")
    try place.move("in.jsonl", to: "in.jsonl.1")
    for _ in 1...2 {
      let outcome = try once()
      expect(outcome.status, equals: 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("in.jsonl does not exist at the moment; the next run reads it"))
      expect(place.lines("log.jsonl"), equals: ["1", "2", "3"])
    }
    try place.write("in.jsonl", "4\n")
    try expect(once().status, equals: 0)
    expect(place.lines("log.jsonl"), equals: ["1", "2", "3", "4"])
    try place.remove("in.jsonl")
    try expect(once().status, equals: 0)
  }

  @Test("a line that is written in pieces is one event")
  func pieces() throws {
    try following { place, running in
      try place.append("in.jsonl", "0\n{\"a\":")
      try running.waitForLines(1, in: "log.jsonl")
      try place.append("in.jsonl", "\"ż")
      try place.append("in.jsonl", "ó\"}\n")
      try running.waitForLines(2, in: "log.jsonl")
      expect(place.lines("log.jsonl"), equals: ["0", "{\"a\":\"żó\"}"])
      expect(running.errors.contains("error"), equals: false)
    }
  }

  @Test("a line of fifty megabytes is skipped in little memory")
  func longLine() throws {
    try following { place, running in
      try place.write("in.jsonl", "1\n\"")
      let piece = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
      for _ in 0..<50 { try place.append("in.jsonl", piece) }
      try place.append("in.jsonl", "\"\n2\n")
      try running.waitForLines(2, in: "log.jsonl")
      expect(place.lines("log.jsonl"), equals: ["1", "2"])
      #expect(running.errors.contains("in.jsonl:2: the line is longer than 16777216 bytes"))
      // The longest line that is read, and twice that where its buffer grows.
      if !TestScale.isSanitized { #expect(try #require(running.mostMemory) < 40 << 10) }
    }
  }

  @Test("one pipeline follows what another writes")
  func twoProcesses() throws {
    try following { place, running in
      try place.write(
        "q.yaml", "sources: { in: stdin }\nsteps: []\nsinks: { log: { jsonl: in.jsonl } }\n")
      for round in 0..<3 {
        let lines = numbers(round * 10 + 1...round * 10 + 10)
        try expect(place.flow("run", "q.yaml", input: lines).status, equals: 0)
      }
      try running.waitForLines(30, in: "log.jsonl")
      expect(place.lines("log.jsonl"), equals: texts(1...30))
    }
  }
}
