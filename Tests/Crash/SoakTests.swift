import Expectations
import Foundation
import Reactive
import TestScale
import TestSupport
import Testing

/// A service that runs for long: 20 polls a second, reloaded, observed and killed meanwhile; it loses nothing, and its
/// memory and descriptors do not grow.
///
/// `FLOW_SOAK_MINUTES` says how long; without it, twelve seconds at a higher rhythm.
@Suite("Soak", .timeLimit(.minutes(120)), .serialized)
struct SoakTests {
  private static let minutes = ProcessInfo.processInfo.environment["FLOW_SOAK_MINUTES"].flatMap(Double.init)

  /// What a process had at a moment.
  private struct Sample {
    let at: Date
    /// Its own memory in KiB, without the pages of the executable.
    let memory: Int
    let descriptors: Int
  }

  private let place: Place

  init() throws {
    signal(SIGPIPE, SIG_IGN)
    place = try Place("soak")
    try writePipeline(0)
  }

  /// A pipeline that reports each row once; a number in it makes it another file, which is reloaded.
  private func writePipeline(_ number: Int) throws {
    try place.write(
      "new.yaml",
      """
      # \(number)
      name: soak
      sources:
        rows: { generate: '$meta.poll as $poll | range(5) | {id: ($poll + .), text: ("x" * 200)}', every: 50ms }
      steps:
        - dedupe: { key: .id, bound: 5000 }
        - window: { tumbling: 1s, update: . + 1, emit: '.[0]' }
      streams:
        once: { from: rows, steps: [ dedupe: { key: .id, bound: 5000 }, map: .id ] }
      sinks:
        log: { jsonl: { path: log.jsonl, rotate: { size: 256KiB, keep: 9999 } }, from: once }
        sums: { jsonl: sums.jsonl, from: steps }
        tell: { exec: { command: ['true'] }, from: steps }
      """)
    // As a whole, as an editor replaces a file.
    rename(place["new.yaml"], place["p.yaml"])
  }

  @Test("nothing is lost or doubled, and memory and descriptors stay as they were")
  func soak() throws {
    let isLong = Self.minutes != nil
    let seconds = (Self.minutes ?? 0.2) * 60
    let pause = (reload: isLong ? 60.0 : 2, tap: isLong ? 20.0 : 1, kill: isLong ? 600.0 : 6)
    let end = Date(timeIntervalSinceNow: seconds)
    var next = (reload: Date() + pause.reload, tap: Date() + pause.tap, kill: Date() + pause.kill)
    var life = try Life(place, ["--watch"])
    var observers: [TestProcess] = []
    var (reloads, kills, taps) = (0, 0, 0)
    var samples: [Sample] = []
    while Date() < end {
      usleep(isLong ? 500_000 : 50_000)
      #expect(life.isAlive, "\(String(decoding: place.bytes("errors"), as: UTF8.self).suffix(2000))")
      if !life.isAlive { return }
      samples.append(contentsOf: Self.sample(life.number))
      if Date() > next.reload {
        reloads += 1
        try writePipeline(reloads)
        life.send(SIGHUP)
        next.reload = Date() + pause.reload
      }
      if Date() > next.tap {
        taps += 1
        stop(observers)
        observers = try [["tap", "soak"], ["tap", "soak:map", "--marbles"], ["status", "soak"]].map(observe)
        next.tap = Date() + pause.tap
      }
      if Date() > next.kill {
        kills += 1
        life.send(SIGKILL)
        expect(life.end(within: 5), equals: .killed)
        check(samples, isLong: isLong)
        samples = []
        life = try Life(place, ["--watch"])
        next.kill = Date() + pause.kill
      }
    }
    stop(observers)
    life.send(SIGTERM)
    expect(life.end(within: 60), equals: .exited(0))
    check(samples, isLong: isLong)

    let ids = place.logLines("log.jsonl").compactMap { Int($0) }
    expect(ids, equals: Array((ids.first ?? 0)..<(ids.first ?? 0) + ids.count), "each id once, in order")
    #expect(ids.count > Int(seconds * (isLong ? 15 : 3)))
    let sums = place.logLines("sums.jsonl").count
    print("soak: \(ids.count) rows, \(sums) sums, \(reloads) reloads, \(taps) times observed, \(kills) kills")
  }

  @Test("four shipped pipelines and their pages need no more memory after years than after weeks")
  func years() throws {
    let shipped = URL(fileURLWithPath: #filePath).appending(path: "../../../pipelines").standardized
    let names = ["new-launches.yaml", "launch-reminders.yaml", "launch-calendar.yaml"]
    for name in names + ["lib", "notify.sh"] {
      try FileManager.default.copyItem(
        at: shipped.appending(path: name), to: URL(fileURLWithPath: place[name]))
    }
    try place.write(
      "p.yaml", String(contentsOf: shipped.appending(path: "upcoming-launches.yaml"), encoding: .utf8))
    let options = ["--page=127.0.0.1:0", "--metrics", "m.prom", "--faults", "429=0.05,5xx=0.1"]
    let life = try Life(place, options + ["--sky", "--speed", "172800"] + names)
    let end = Date(timeIntervalSinceNow: (Self.minutes ?? 0.1) * 60)
    while Date() < end, life.isAlive { usleep(50_000) }
    let memory = Self.sample(life.number).first?.memory ?? .max
    life.send(SIGTERM)
    expect(life.end(within: 30), equals: .exited(0))
    print("soak: \(memory) KiB after simulated years")
    if !TestScale.isSanitized { #expect(memory < 160_000) }
  }

  /// Memory and descriptors of the last third are those of the second third; the first one fills what is bounded.
  private func check(_ samples: [Sample], isLong: Bool) {
    let third = samples.count / 3
    guard third > 10 else { return }
    let (second, last) = (samples[third..<2 * third], samples[(2 * third)...])
    func middle(_ values: [Int]) -> Int { values.sorted()[values.count / 2] }
    let memory = (middle(second.map(\.memory)), middle(last.map(\.memory)))
    // Those of taps, commands and a reload come and go; what leaks stays.
    let descriptors = (second.map(\.descriptors).min() ?? 0, last.map(\.descriptors).min() ?? 0)
    print("soak: memory \(memory.0) and \(memory.1) KiB, descriptors \(descriptors.0) and \(descriptors.1)")
    // In seconds, a machine that is busy for a moment shows as growth.
    guard isLong else { return #expect(descriptors.1 < 64) }
    if !TestScale.isSanitized { #expect(memory.1 < memory.0 * 11 / 10 + 2048) }
    #expect(descriptors.1 <= descriptors.0 + 2)
  }

  /// Kills them: their sockets break off in the middle of a line, and they inherit a mask that blocks SIGTERM.
  private func stop(_ observers: [TestProcess]) {
    for observer in observers where observer.isRunning { kill(observer.processIdentifier, SIGKILL) }
  }

  private func observe(_ arguments: [String]) throws -> TestProcess {
    let process = TestProcess()
    process.executableURL = try flowCommand()
    process.arguments = arguments
    process.environment = ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "XDG_STATE_HOME": place["state"]]
    process.environment?["ASAN_OPTIONS"] = ProcessInfo.processInfo.environment["ASAN_OPTIONS"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private static func sample(_ process: Int32) -> [Sample] {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count,
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
      let memory = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return [] }
    return [Sample(at: Date(), memory: memory, descriptors: descriptors)]
  }
}
