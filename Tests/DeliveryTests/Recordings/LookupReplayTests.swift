import Expectations
@testable import Delivery
import TestSupport
import Fetch
import JSON
import Engine
import Language
import Reactive
import Testing

import System

/// What `LookupRecording` writes down, and `LookupReplay` answers with.
@Suite struct LookupReplayTests {
  let folder: TemporaryFolder
  let told = Journal<String>()

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder["a/lookups.jsonl"] }
  private var log: NodeLog {
    NodeLog(log: Log { [told] in told.note($0.message) }, pipeline: "p", node: "enrich")
  }

  private struct NoAnswer: Error, CustomStringConvertible { let description: String }

  private func request(_ text: String, key: String? = nil) throws -> Request {
    var request = Request(try Address(text))
    if let key { request.headers = [Header("Authorization", "Bearer \(key)", isSecret: true)] }
    return request
  }

  private func recording(masking mask: @escaping @Sendable (String) -> String = { $0 }) -> LookupRecording {
    let recording = LookupRecording(path, masking: mask)
    recording.begin(on: SystemDisk(), log)
    return recording
  }

  /// What a replay has of an address at some times, one after the other.
  private func found(_ url: String, step: String = "enrich", _ times: Double...) throws -> [String] {
    let replay = LookupReplay(path) { $0 }
    try replay.begin(on: SystemDisk(), step: step, log)
    return try times.map { time in
      switch replay.found(try request(url), at: time, step: step, on: SystemDisk()) {
      case .success(let answer): answer.value.description + (answer.age.map { " of \($0)" } ?? "")
      case .failure(let error): "\(error)"
      }
    }
  }

  @Test("a poll is answered as it was; one in between as the one before; one before all as the first")
  func times() throws {
    let recording = recording()
    for (at, answer) in [(10.0004, 1), (20, 2), (20, 3), (30, 4)] as [(Double, Int)] {
      recording.add(
        try request("http://a/x"), at: at, step: "enrich", .success(LookupAnswer(.number(answer))))
      recording.add(try request("http://a/y"), at: at, step: "enrich", .success(LookupAnswer(.null)))
    }
    try expect(found("http://a/x", 10.0004, 20, 20, 30), equals: ["1", "2", "3", "4"])
    try expect(found("http://a/x", 5, 15, 20, 20, 20, 99), equals: ["1", "1", "2", "3", "3", "4"])
    try expect(found("http://a/y", 10, 35), equals: ["null", "null"])
  }

  @Test("what failed fails again; what is not there is said, of another step too")
  func failures() throws {
    let recording = recording()
    recording.add(
      try request("http://a/x"), at: 1, step: "enrich", .failure(NoAnswer(description: "no, it said")))
    try expect(found("http://a/x", 1), equals: ["no, it said"])
    try expect(found("http://a/x?y", 1), equals: ["GET http://a/x?y: the recording has no such lookup"])
    try expect(
      found("http://a/x", step: "other", 1), equals: ["GET http://a/x: the recording has no such lookup"])
  }

  @Test("an old response has its age again")
  func stale() throws {
    recording().add(
      try request("http://a/x"), at: 1, step: "enrich", .success(LookupAnswer(.number(2), age: 3600.4)))
    try expect(found("http://a/x", 1), equals: ["2 of 3600.0"])
  }

  @Test("an empty recording is one; where there is none that is said")
  func empty() throws {
    #expect(throws: Sentence.self) { try found("http://a/x", 1) }
    _ = recording()
    try expect(folder.text("a/lookups.jsonl"), equals: "")
    try expect(found("http://a/x", 1).count, equals: 1)
  }

  @Test("secrets stay out of it: of the address, the headers and the pipeline; another key finds the same")
  func secrets() throws {
    let recording = recording { $0.replacing("/hidden/", with: "***") }
    let answer = Value.record([
      ("next", .string("http://a/?api_key=hunter2-a&p=2")), ("auth", .string("hunter2-b")),
    ])
    recording.add(
      try request("http://a/hidden/1?api_key=hunter2-a", key: "hunter2-b"), at: 1, step: "enrich",
      .success(LookupAnswer(answer)))
    recording.add(
      try request("http://a/2?api_key=hunter2-a"), at: 1, step: "enrich",
      .failure(NoAnswer(description: "no /hidden/ today")))
    // A number, of which the rest would be no JSON.
    recording.add(
      try request("http://a/3?api_key=12345"), at: 1, step: "enrich", .success(LookupAnswer(.number(12345))))
    let text = try folder.text("a/lookups.jsonl")
    #expect(!text.contains("hunter2") && !text.contains("hidden") && !text.contains("12345"), "\(text)")
    let replay = LookupReplay(path) { $0.replacing("/hidden/", with: "***") }
    try replay.begin(on: SystemDisk(), step: "enrich", log)
    let other = try request("http://a/hidden/1?api_key=another", key: "third")
    let value = try replay.found(other, at: 1, step: "enrich", on: SystemDisk()).get().value
    expect(value.description, equals: #"{"next":"http://a/?api_key=***&p=2","auth":"***"}"#)
    #expect(try found("http://a/3?api_key=9", 1)[0].contains("the answer repeats a secret"))
  }

  @Test(
    "lines that are no lookups, and one that was cut off, are passed over and told; long ones are read whole")
  func wrongLines() throws {
    let recording = recording()
    let long = String(repeating: "x", count: 3 << 20)
    recording.add(try request("http://a/x"), at: 1, step: "enrich", .success(LookupAnswer(.string(long))))
    recording.add(try request("http://a/y"), at: 1, step: "enrich", .success(LookupAnswer(.bool(true))))
    try folder.append("a/lookups.jsonl", "{\"at\":1,\"rows\":[]}\n\n{\"at\":\"1970")
    try expect(found("http://a/x", 1), equals: ["\"\(long)\""])
    try expect(found("http://a/y", 1), equals: ["true"])
    #expect(
      told.entries.count == 2 && told.entries[0].contains("2 lines are no lookups, and are passed over"))
  }
}
