import Expectations
import Foundation
import Loopback
import TestScale
import Testing

/// Several pipelines in one `flow run`, and pipelines in virtual time.
@Suite(.timeLimit(.minutes(30))) struct RunManyTests {
  @Test("two pipelines run side by side; messages say which, statistics have a table of each")
  func two() throws {
    let place = try Workplace(
      "name: p\nsources: { in: { file: in.jsonl } }\nsteps: []\nsinks: { log: { jsonl: p.jsonl } }\n",
      input: "1\noops\n")
    try place.write(
      "q.yaml",
      "name: q\nsources: { in: { generate: range(3) } }\nsteps: []\nsinks: { log: { jsonl: q.jsonl } }\n")
    let outcome = try place.flow("run", "--stats", "p.yaml", "q.yaml")
    expect(outcome.status, equals: 1)
    #expect(place.lines("p.jsonl") == ["1"] && place.lines("q.jsonl") == ["0", "1", "2"])
    #expect(outcome.errors.contains("p/in: error: in.jsonl:2:"), "\(outcome.errors)")
    #expect(outcome.errors.contains("\np:\n") && outcome.errors.contains("\nq:\n"))
  }

  @Test("where one of two fails the other goes to its end, and the status is 1")
  func oneFails() throws {
    let place = try Workplace(
      "name: p\nsources: { in: { file: nowhere.jsonl } }\nsteps: []\nsinks: { log: { jsonl: p.jsonl } }\n")
    try place.write(
      "q.yaml",
      "name: q\nsources: { in: { generate: range(3) } }\nsteps: []\nsinks: { log: { jsonl: q.jsonl } }\n")
    try expect(place.flow("run", "p.yaml", "q.yaml").status, equals: 1)
    expect(place.lines("q.jsonl"), equals: ["0", "1", "2"])
  }

  @Test("three hundred sources share the threads of the cores")
  func manySources() throws {
    let sources = (0..<300).map { "  s\($0): { generate: '\($0)', every: 1s }\n" }.joined()
    let place = try Workplace(
      "name: p\nsources:\n\(sources)steps: []\nsinks: { log: { jsonl: log.jsonl } }\n")
    // Without a commit for each poll, which is what a slow disk would be waited for.
    let running = try place.start("--no-state")
    try running.waitForLines(600, in: "log.jsonl")
    #expect(running.threads < 16 + ProcessInfo.processInfo.activeProcessorCount)
    let outcome = try running.end(by: SIGTERM).outcome
    expect(outcome.status, equals: 0, "\(outcome)")
    expect(Set(place.lines("log.jsonl")).count, equals: 300)
  }

  @Test("the soft limit of descriptors stops no run, and commands get it as it was; the hard one is named")
  func descriptors() throws {
    let place = try Workplace("")
    for number in 0..<30 {
      try place.write(
        "q\(number).yaml",
        """
        sources: { in: { exec: { command: [sh, limit.sh] }, every: 1h } }
        steps: [dedupe: .]
        sinks: { log: { jsonl: q\(number).jsonl } }
        """)
    }
    // A command may start before it has its limit.
    try place.write("limit.sh", "until [ $(ulimit -Sn) = 64 ]; do sleep 0.01; done; ulimit -Sn\n")
    let outcome = try place.shell("ulimit -Sn 64; exec \"$0\" run --once q*.yaml")
    expect(outcome.status, equals: 0, "\(outcome)")
    for number in 0..<30 { expect(place.lines("q\(number).jsonl"), equals: ["64"]) }
    let refused = try place.shell("ulimit -n 64; exec \"$0\" run --once q*.yaml")
    expect(refused.status, equals: 1)
    #expect(refused.errors.contains("Too many open files (at most 64: ulimit -n)"), "\(refused.errors)")
  }

  @Test("polls that wait for servers hold no threads")
  func waitingPolls() throws {
    let servers = try (0..<4).map { _ in
      try LoopbackServer { _ in
        usleep(4_000_000)
        return [.text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1]")]
      }
    }
    // As many at each server as are asked of one at once.
    let sources = (0..<120).map {
      "  s\($0): { http: { url: '\(servers[$0 % 4].url)/\($0)', cache: 0s }, every: 1s }\n"
    }
    let place = try Workplace(
      "name: p\nsources:\n\(sources.joined())steps: []\nsinks: { log: { jsonl: p.jsonl } }\n")
    try servers[0].serving {
      try servers[1].serving {
        try servers[2].serving {
          try servers[3].serving {
            let running = try place.start("--no-state")
            try running.wait(for: "all requests") { servers.reduce(0) { $0 + $1.received.count } >= 120 }
            #expect(running.threads < 16 + ProcessInfo.processInfo.activeProcessorCount)
            try running.waitForLines(120, in: "p.jsonl")
            let outcome = try running.end(by: SIGTERM).outcome
            expect(outcome.status, equals: 0, "\(outcome)")
          }
        }
      }
    }
  }

  @Test("polls that hang delay those of no other pipeline, and are ended when asked")
  func hangingPolls() throws {
    let sources = (0..<80).map {
      "  s\($0): { exec: { command: [sleep, '600'], timeout: 10m }, every: 1s }\n"
    }
    let place = try Workplace(
      "name: p\nsources:\n\(sources.joined())steps: []\nsinks: { log: { jsonl: p.jsonl } }\n")
    try place.write(
      "q.yaml",
      "name: q\nsources: { in: { exec: [echo, 1], every: 1s } }\nsteps: []\nsinks: { log: { jsonl: q.jsonl } }\n"
    )
    let running = try place.start("q.yaml")
    try running.waitForLines(3, in: "q.jsonl")
    // One pipeline has so many polls at once.
    #expect(running.threads < 64 + 16 + ProcessInfo.processInfo.activeProcessorCount)
    let (outcome, seconds) = try running.end(by: SIGTERM)
    #expect(outcome.status == 0 && seconds < 10, "\(seconds): \(outcome)")
  }

  @Test("two sinks on one file are refused, in one pipeline and in two")
  func oneFile() throws {
    let place = try Workplace(
      """
      sources: { in: { generate: 1 } }
      steps: []
      sinks: { a: { jsonl: out/log.jsonl }, b: { jsonl: ./out//log.jsonl } }
      """)
    let outcome = try place.run()
    #expect(outcome.status == 2 && outcome.errors.contains("another sink writes “./out//log.jsonl” already"))
    let sink = "sources: { in: { generate: 1 } }\nsteps: []\nsinks: { a: { jsonl: out/log.jsonl } }\n"
    try place.write("p.yaml", sink)
    try place.write("q.yaml", sink)
    let two = try place.flow("run", "p.yaml", "q.yaml")
    #expect(two.status == 2 && two.errors.contains("already: p.yaml:3:"), "\(two.errors)")
    #expect(!place.has("out"))
  }

  @Test("a recording and a pipeline in real time are not run together")
  func mixedTimes() throws {
    let place = try Workplace(
      "sources: { in: { replay: in.jsonl } }\nsteps: []\nsinks: { log: { jsonl: log.jsonl } }\n", input: "")
    try place.write(
      "q.yaml", "sources: { in: { generate: 1 } }\nsteps: []\nsinks: { log: { jsonl: q.jsonl } }\n")
    let outcome = try place.flow("run", "p.yaml", "q.yaml")
    #expect(outcome.status == 2 && outcome.errors.contains("virtual time"))
    #expect(!place.has("log.jsonl") && !place.has("q.jsonl"))
  }

  @Test(
    "two recorded months of six-hourly polls, or a year, take seconds, and give the changes that are in them")
  func year() throws {
    let recording = Recording(polls: TestScale.count(240, atMost: 1460), rows: 40)
    let place = try Workplace(
      """
      sources: { upcoming: { replay: in.jsonl } }
      steps:
        - changes: { key: .id, watch: [.net, .status] }
        - debounce: { key: .key, for: 2m }
        - map: { type: .type, key: .key, told: $now | todate, at: .at }
      sinks: { log: { jsonl: log.jsonl } }
      """, input: recording.text)
    let outcome = try place.shell("\"$0\" run p.yaml; s=$?; times; exit $s")
    #expect(outcome.status == 0 && outcome.errors == "")
    let lines = place.lines("log.jsonl")
    #expect(lines.count == recording.changes.count && lines.count > recording.polls * 2 / 3)
    expect(lines, equals: recording.changes)
    // The second line is that of the children: minutes and seconds, user and system.
    let times = try #require(outcome.output.split(separator: "\n").last)
    let seconds = times.split(separator: " ").reduce(0.0) { sum, part in
      let numbers = part.dropLast().split(separator: "m").compactMap { Double($0) }
      return sum + numbers.reduce(0) { $0 * 60 + $1 }
    }
    #if DEBUG
      let limit = 0.02 * Double(recording.polls) + 1
    #else
      let limit = 0.0013 * Double(recording.polls) + 0.1
    #endif
    #expect(seconds > 0 && seconds < limit, "\(times)")
  }
}
