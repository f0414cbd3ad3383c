import Expectations
import Foundation
import NATS
import Reactive
import System
import TestSupport
import Testing

@Suite("Reading a stream", .timeLimit(.minutes(30)))
struct StreamReaderTests {
  private let stop = StopSign()

  private func reader(_ url: String, filter: String? = nil, size: Int = 100) throws -> StreamReader {
    let connection = try NATSConnection(NATSSettings(servers: [url], name: "test"))
    return StreamReader(connection, stream: "S", filter: filter, size: size, stop: stop) { _ in }
  }

  /// All messages from a place on, and how many batches they came in.
  private func all(
    _ reader: StreamReader, from first: StreamReader.Start = .sequence(1)
  ) throws -> (data: [String], batches: Int, breaks: Int) {
    var (data, batches, breaks) = ([String](), 0, 0)
    var start = first
    while true {
      var batch: [String] = []
      switch try reader.read(from: start, add: { batch.append($0.text) }) {
      case .batch(let read):
        data += batch
        batches += 1
        start = .sequence(read.last + 1)
      case .empty: return (data, batches, breaks)
      case .broken:
        breaks += 1
        // As a source waits: while a connection is being made, each attempt fails at once.
        usleep(200_000)
        if breaks > 100 { return (data, batches, breaks) }
      case .stopped: return (data, batches, breaks)
      }
    }
  }

  private func numbers(_ range: ClosedRange<Int>) -> [String] { range.map { "{\"n\":\($0)}" } }

  @Test("a stream is read whole and in order, in batches; messages that were deleted are no gap", .realServer)
  func whole() throws {
    let server = try NATSServer()
    let bus = try Bus(server)
    try bus.makeStream("S", "s.>")
    #expect(try all(reader(server.url)) == ([], 0, 0))
    try bus.publish(1...950, on: "s.a")
    try bus.publish(951...1000, on: "s.b")
    #expect(try all(reader(server.url)) == (numbers(1...1000), 10, 0))
    try expect(all(reader(server.url), from: .sequence(991)).data, equals: numbers(991...1000))
    #expect(try all(reader(server.url, filter: "s.b")) == (numbers(951...1000), 1, 0))
    for number in [1, 500, 501, 1000] {
      _ = try bus.ask("$JS.API.STREAM.MSG.DELETE.S", #"{"seq":\#(number)}"#)
    }
    let left = try all(reader(server.url))
    #expect(left.data == numbers(2...499) + numbers(502...999) && left.breaks == 0)
    _ = try bus.ask("$JS.API.STREAM.PURGE.S", #"{"seq":990}"#)
    try expect(all(reader(server.url)).data, equals: numbers(990...999))
    let info = try reader(server.url).info()
    #expect(info.first == 990 && info.last == 1000 && info.subjects == ["s.>"] && info.allowsDirect)
  }

  @Test("it begins at a time; large messages come in smaller batches", .realServer)
  func timesAndSizes() throws {
    let server = try NATSServer("max_payload: 8MB")
    let bus = try Bus(server)
    try bus.makeStream("S", "s")
    try bus.publish("s", "early")
    usleep(20_000)
    let time = Date()
    usleep(20_000)
    let large = String(repeating: "x", count: 3 << 20)
    for _ in 0..<4 { try bus.publish("s", large) }
    let text = time.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
    let late = try all(reader(server.url), from: .time(text + "Z"))
    #expect(late.data == Array(repeating: large, count: 4) && late.batches > 1 && late.breaks == 0)
  }

  @Test("a stream that is not there, one in a server without JetStream", .realServer)
  func missing() throws {
    let server = try NATSServer()
    let error = #expect(throws: NATSError.self) { try reader(server.url).info() }
    #expect(error?.description == "there is no stream S" && error?.mayPass == false)
    let other = try NATSServer("accounts { A { users: [ { user: a, password: aaaa } ] } }")
    let plain = #expect(throws: NATSError.self) {
      try reader("nats://a:aaaa@127.0.0.1:\(other.port)").info()
    }
    expect(plain?.description.hasPrefix("JetStream"), equals: true, "\(String(describing: plain))")
  }

  @Test("a batch in which messages are missing is read again, and nothing of it counts", .realServer)
  func gaps() throws {
    let count = Locked(0)
    let server = try FaultyServer { subject, request in
      guard subject.hasPrefix("$JS.API.DIRECT.GET"), request.contains("\"seq\":1,") else {
        return [.init(headers: [("Status", "404 Message Not Found")])]
      }
      let round = count.withLock { count in
        count += 1
        return count
      }
      var answer = (1...5).map { FaultyServer.Answer.message($0, pending: 5 - $0, "\($0)") }
      // A message in the middle, the end, and then none.
      if round == 1 { answer.remove(at: 2) }
      if round == 2 { answer.removeLast(2) }
      return answer + [.end(last: 5, pending: 0)]
    }
    defer { server.stop() }
    #expect(try all(reader(server.url)) == (["1", "2", "3", "4", "5"], 1, 2))
  }

  @Test("a message that was removed while the batch was read is no endless gap", .realServer)
  func removedMeanwhile() throws {
    let server = try FaultyServer { _, request in
      guard request.contains("\"seq\":1,") else {
        return [.init(headers: [("Status", "404 Message Not Found")])]
      }
      return [.message(1, pending: 2, "1"), .message(3, pending: 1, "3"), .end(last: 3, pending: 0)]
    }
    defer { server.stop() }
    #expect(try all(reader(server.url)) == (["1", "3"], 1, 1))
  }

  @Test(
    "a replica that lacks what the leader has is left; one that lacks nothing is not, whatever was announced",
    .realServer, arguments: [true, false])
  func behind(hasMore: Bool) throws {
    let asked = Locked(0)
    let server = try FaultyServer { subject, _ in
      guard subject.hasPrefix("$JS.API.STREAM.MSG.GET") else {
        return [.init(headers: [("Status", "404 Message Not Found")])]
      }
      asked.withLock { $0 += 1 }
      return [.init(data: hasMore ? #"{"message":{"seq":7,"data":"Nw=="}}"# : #"{"error":{"code":404}}"#)]
    }
    defer { server.stop() }
    let reader = try reader(server.url)
    reader.expectMore()
    var isBehind = false
    let start = ContinuousClock.now
    while !isBehind, ContinuousClock.now - start < .seconds(hasMore ? 20 : 4) {
      switch try reader.read(from: .sequence(7), add: { _ in }) {
      case .empty: usleep(50_000)
      case .broken(.behind): isBehind = true
      case let other: Issue.record("\(other)")
      }
    }
    #expect(isBehind == hasMore && reader.isClosed == hasMore && asked.withLock(\.self) == 1)
  }

  @Test("a request that is never answered is given up, also while messages arrive", .realServer)
  func lostRequest() throws {
    let isLost = Locked(true)
    let server = try FaultyServer { _, _ in
      if isLost.withLock(\.self) { return [] }
      return [.message(1, pending: 0, "1"), .end(last: 1, pending: 0)]
    }
    defer { server.stop() }
    let reader = try reader(server.url)
    // The first call subscribes.
    try reader.waitForMore(subjects: ["s"])
    Thread.detachNewThread {
      for _ in 0..<100 {
        server.publish("s", "1")
        usleep(100_000)
      }
    }
    let start = ContinuousClock.now
    guard case .broken(.noAnswer("no answer")) = try reader.read(from: .sequence(1), add: { _ in }) else {
      Issue.record("it is not given up")
      return
    }
    #expect(ContinuousClock.now - start < .seconds(8))
    isLost.withLock { $0 = false }
    guard case .batch = try reader.read(from: .sequence(1), add: { _ in }) else {
      Issue.record("it is not asked again")
      return
    }
  }

  @Test("a server before 2.11 is refused in one line, when asked and by its answer to a batch", .realServer)
  func oldServer() throws {
    let server = try FaultyServer { subject, _ in
      if subject == "$JS.API.INFO" { return [.init(data: #"{"api":{"total":1,"errors":0}}"#)] }
      return [.message(1, pending: nil, "1")]
    }
    defer { server.stop() }
    let line = "the server is too old: reading a stream needs nats-server 2.11 or newer"
    expect(#expect(throws: NATSError.self) { try reader(server.url).info() }?.description, equals: line)
    expect(#expect(throws: NATSError.self) { try all(reader(server.url)) }?.description, equals: line)
  }

  @Test("after the server was killed and has come back, reading continues", .realServer)
  func restart() throws {
    let server = try NATSServer()
    let bus = try Bus(server)
    try bus.makeStream("S", "s")
    try bus.publish(1...500, on: "s")
    let reader = try reader(server.url)
    var batch: [String] = []
    guard case .batch(let first) = try reader.read(from: .sequence(1), add: { batch.append($0.text) }) else {
      Issue.record("no batch")
      return
    }
    server.kill()
    try server.start()
    let rest = try all(reader, from: .sequence(first.last + 1))
    expect(batch + rest.data, equals: numbers(1...500))
  }
}
