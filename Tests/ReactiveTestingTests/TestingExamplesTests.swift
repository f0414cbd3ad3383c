import Foundation
import Reactive
import ReactiveTesting
import Testing

/// The examples in the documentation of ReactiveTesting, run; the last test holds the two against each other.
@Suite struct TestingExamplesTests {
  @Test func emitsOnceItIsQuiet() throws {
    try expectMarbles("-------c-----(d|)") { clock in
      try clock.hot("a-b-c-----d--|").debounce(for: .seconds(3), on: clock)
    }
  }

  @Test func aTestIsWritten() throws {
    try expectMarbles("-A--B-|") { clock in try clock.hot("-a--b-|").map { $0.uppercased() } }
    let clock = VirtualScheduler()
    let source = try clock.hot("-a--b-|")
    let recording = clock.record(source.map { $0.uppercased() })
    clock.run()
    #expect(recording.drawing.line == "-A--B-|")
    #expect(recording.elements == ["A", "B"])
    #expect(source.subscriptions == ["^-----!"])
  }

  @Test func drawingsAreReadAndMade() throws {
    try expectMarbles("--a--b|", legend: ["a = [1, 2]", "b = [3, 4]"]) { clock in
      try clock.hot("-ab-cd|", ["a": 1, "b": 2, "c": 3, "d": 4]).buffer(2)
    }
    let marbles = try Marbles("-a-(b|)")
    #expect(marbles.steps.map(\.time) == [1, 3])
    let drawing = MarbleDrawing([(Instant(nanoseconds: 2_000_000_000), .next("ab"))])
    #expect(drawing.line == "--a")
    #expect(drawing.legend == ["a = ab"])
  }

  @Test func aHotSourceRunsAlone() throws {
    let clock = VirtualScheduler()
    let ticks = try clock.hot("a-b-c-d|")
    let late = clock.record(ticks, from: .seconds(3))
    clock.run()
    #expect(late.drawing.line == "----c-d|")
  }

  @Test func aColdSourceStartsForEach() throws {
    let clock = VirtualScheduler()
    let answer = try clock.cold("--a|")
    let late = clock.record(answer, from: .seconds(3))
    clock.run()
    #expect(late.drawing.line == "-----a|")
  }

  @Test func aSourceStartsAgain() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("--a|")
    let recording = clock.record(source.repeat(2))
    clock.run()
    #expect(recording.drawing.line == "--a--a|")
    #expect(source.subscriptions == ["^--!", "---^--!"])
  }

  @Test func marksStandForElements() throws {
    let clock = VirtualScheduler()
    let numbers = try clock.hot("a-b|", ["a": 1, "b": 20])
    let sum = clock.record(numbers.reduce(0) { $0 + $1 })
    clock.run()
    #expect(sum.elements == [21])
  }

  @Test func subscriptionsAreDrawn() throws {
    let clock = VirtualScheduler()
    let request = try clock.cold("-#")
    let recording = clock.record(request.retry(times: 1))
    clock.run()
    #expect(recording.drawing.line == "--#")
    #expect(request.subscriptions == ["^!", "-^!"])
  }

  @Test func operatorsKeepTheirPromises() throws {
    try expectPromises(of: .calling("doubled") { source, _, probe in source.doubled { try probe($0) } })
    try expectPromises(of: .plain("second") { source, _ in source.element(at: 1) })
    try expectPromises(of: .source("soon") { clock in Observable.timer(after: .seconds(1), on: clock) })
    let contract = Contract.plain("second") { source, _ in source.element(at: 1) }
    #expect(try contract.breaches(of: .failsOnce) == [])
  }

  @Test func hoursPass() {
    let clock = VirtualScheduler()
    let hours = clock.record(Observable.interval(.seconds(3600), on: clock).take(2))
    clock.advance(by: .seconds(3600))
    #expect(hours.elements == [0])
    clock.run()
    #expect(hours.elements == [0, 1])
  }

  @Test func tasksSleepInVirtualTime() {
    let clock = VirtualScheduler()
    let answer = Observable.task(on: clock) {
      try await Task.sleep(for: .seconds(30), clock: clock)
      return 42
    }
    let recording = clock.record(answer.timeout(after: .seconds(60), on: clock))
    clock.advance(by: .seconds(29))
    #expect(recording.elements.isEmpty)
    clock.advance(by: .seconds(1))
    #expect(recording.elements == [42])
  }

  @Test func seedsMakeOrders() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      try expectMarbles("----(ab|)", seed: seed) { clock in
        try Observable.merge(clock.cold("---a|"), clock.cold("---b|")).toArray().flatMap {
          .from($0.sorted())
        }
      }
    }
  }

  @Test func everyExampleInTheDocumentationIsHere() throws {
    let here = try words(String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
    let folder = URL(filePath: #filePath).appending(path: "../../../Sources/ReactiveTesting")
      .standardized.resolvingSymlinksInPath()
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where ["swift", "md"].contains(file.pathExtension) {
      for example in try examples(in: String(contentsOf: file, encoding: .utf8)) {
        count += 1
        #expect(here.contains(words(example)), "not run: \(example)")
      }
    }
    #expect(count > 15)
  }
}

extension Observable where Element == Int {
  /// Each element twice, as `twofold` makes it.
  func doubled(_ twofold: @escaping @Sendable (Int) throws -> Int) -> Observable {
    map { try twofold($0) * 2 }
  }
}

/// The fenced blocks of Swift in a page, or in the doc comments of a file; `expression  // result` is an expectation.
private func examples(in text: String) -> [String] {
  var examples: [String] = []
  var block: [String]?
  for line in text.split(separator: "\n") {
    var line = line.trimmingCharacters(in: .whitespaces)
    if line.hasPrefix("///"), !text.hasPrefix("#") { line = String(line.dropFirst(4)) }
    if line.hasPrefix("```") {
      if let lines = block {
        if lines.first != "not Swift" { examples.append(lines.joined(separator: "\n")) }
        block = nil
      } else {
        block = line == "```swift" || !text.hasPrefix("#") ? [] : ["not Swift"]
      }
    } else if block != nil {
      let parts = line.components(separatedBy: "  // ")
      block?.append(parts.count == 2 ? "#expect(\(parts[0]) == \(parts[1]))" : line)
    }
  }
  return examples
}

private func words(_ text: String) -> String {
  text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
}
