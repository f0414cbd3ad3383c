import Expectations
@testable import Delivery
import Engine
import JSON
import Language
import Reactive
import Store
import System
import TestSupport
import Testing
import Trials

/// The transport over a connection, whose server does whatever a test wants.
@Suite("A transport over a connection") struct LinkedTransportTests {
  private struct Item: DeliveryItem {
    let text: String
    var event: Event? { nil }
    var place: String? { text }
    init(_ text: String) { self.text = text }
    init?(jsonValue: Value) { self.init(jsonValue.string ?? "") }
    var jsonValue: Value { .string(text) }
  }

  private struct Refusal: LinkError, CustomStringConvertible {
    let description: String
    var mayPass = true
  }

  /// A server's side of all connections: what it does with the item of each number.
  private final class Server: Sendable {
    enum Act { case accept, refuse, keep, twice, hangUp, tooLarge }
    struct State {
      var acts: [String: [Act]] = [:]
      var isAway = false
      var received: [String] = []
      var connections = 0
      var closed = 0
      var failures: [String] = []
      /// Whether it answers a greeting on each connection.
      var isGreeting = false
      var answersInOrder = true
    }
    let state = Locked(State())

    func act(_ text: String) -> Act {
      state.withLock { state in
        state.received.append(text)
        guard let act = state.acts[text]?.first else { return .accept }
        state.acts[text]?.removeFirst()
        return act
      }
    }
  }

  private final class Connection: DeliveryConnection {
    let server: Server
    var (last, answers, isLost) = (0, [(number: Int, failure: DeliveryFailure?)](), false)
    var hasAnswered = false
    var answersInOrder: Bool { server.state.withLock { $0.answersInOrder } }

    init(_ server: Server) throws {
      self.server = server
      let isAway = server.state.withLock { state in
        state.connections += 1
        return state.isAway
      }
      if isAway { throw Refusal(description: "there is no server") }
    }

    func send(_ item: any DeliveryItem, id: String) throws -> Int {
      guard let item = item as? Item else { throw StrangeItem() }
      last += 1
      switch server.act(item.text) {
      case .accept: answers.append((last, nil))
      case .twice: answers += [(last, nil), (last, DeliveryFailure("again", mayPass: true))]
      case .refuse: answers.append((last, DeliveryFailure("refused", mayPass: false)))
      case .keep: break
      case .hangUp: isLost = true
      case .tooLarge: throw Refusal(description: "too large", mayPass: false)
      }
      return last
    }

    func turn(until deadline: Instant, wake: Int32) throws {
      if isLost { throw Refusal(description: "the connection is lost") }
      if answers.isEmpty { awaitDescriptors([.input(wake)], until: deadline) }
      hasAnswered = hasAnswered || !answers.isEmpty || server.state.withLock { $0.isGreeting }
    }

    func takeAnswers() -> [(number: Int, failure: DeliveryFailure?)] {
      defer { answers = [] }
      return answers
    }

    func noteFailure(_ error: any Error) { server.state.withLock { $0.failures.append("\(error)") } }

    func close() { server.state.withLock { $0.closed += 1 } }
  }

  private let server = Server()
  private let log = Journal<String>()
  private let ends = Journal<String>()
  private let lane: Lane

  init() { lane = Lane(ends) }

  private func transport(timeout: Duration = .seconds(30)) throws -> LinkedTransport {
    let context = SinkContext.lone(.real, waiting: .acrossTurns) { [log] in log.note($0.message) }
    return try LinkedTransport(
      .init(server: "server", timeout: timeout), context, read: { Item(stored: $0) }
    ) { [server] _, _ in
      try Connection(server)
    }
  }

  /// What the lane would take: the answers by the texts of their items.
  private final class Lane: Sendable {
    let sent = Locked<[String]>([])
    let ends: Journal<String>
    let failures = Locked<[DeliveryFailure]>([])
    private let waiting = Locked<DeliveryAnswers?>(nil)
    init(_ ends: Journal<String>) { self.ends = ends }

    var answers: DeliveryAnswers {
      waiting.withLock { answers in
        let known = answers ?? DeliveryAnswers { [self] in take() }
        answers = known
        return known
      }
    }

    private func take() {
      for (number, failure) in answers.take() {
        let text = sent.withLock { $0[Int(number)] }
        if let failure { failures.withLock { $0.append(failure) } }
        let attempt = failure?.isAttempt == false ? " (no attempt)" : ""
        ends.note("\(text): \(failure.map { "\($0)" } ?? "sent")\(attempt)")
      }
    }
  }

  @discardableResult
  private func send(
    _ texts: String..., by transport: LinkedTransport, order: UInt64? = nil
  ) -> Subscription {
    let attempts = lane.sent.withLock { sent in
      texts.map { text in
        sent.append(text)
        return DeliveryAttempt(
          number: UInt64(sent.count - 1), order: order ?? UInt64(sent.count), id: text, item: Item(text))
      }
    }
    return transport.begin(attempts, lane.answers)
  }

  private func received() -> [String] { server.state.withLock { $0.received } }

  @Test("items are sent in order on one connection, which is closed in order")
  func order() throws {
    let transport = try transport()
    for number in 1...20 { send("\(number)", by: transport) }
    #expect(eventually { ends.entries.count == 20 })
    expect(ends.entries, equals: (1...20).map { "\($0): sent" })
    transport.beginEnd()
    transport.end()
    #expect(server.state.withLock { ($0.connections, $0.closed) } == (1, 1))
  }

  @Test("a refusal and a flaw of its own are the item's failure, and a second answer is none")
  func refused() throws {
    server.state.withLock { $0.acts = ["b": [.refuse], "c": [.tooLarge], "d": [.twice]] }
    let transport = try transport()
    defer { transport.end() }
    for text in ["a", "b", "c", "d", "e"] { send(text, by: transport) }
    #expect(eventually { ends.entries.count == 5 })
    expect(
      ends.entries.sorted(), equals: ["a: sent", "b: b: refused", "c: c: too large", "d: sent", "e: sent"])
  }

  @Test("what has no answer when the connection is lost is sent again, in order, and that is no attempt")
  func lost() throws {
    server.state.withLock { $0.acts = ["b": [.keep], "c": [.keep], "d": [.hangUp]] }
    let transport = try transport()
    defer { transport.end() }
    send("a", by: transport)
    #expect(eventually { ends.entries.count == 1 })
    for text in ["b", "c", "d"] { send(text, by: transport) }
    #expect(eventually { ends.entries.count == 4 }, "\(ends.entries)")
    expect(ends.entries, equals: ["a: sent", "b: sent", "c: sent", "d: sent"])
    #expect(received().suffix(3) == ["b", "c", "d"], "\(received())")
    #expect(log.entries.contains { $0.hasPrefix("the connection is lost; next try in ") }, "\(log.entries)")
    #expect(eventually { log.entries.contains("connected to server") }, "\(log.entries)")
  }

  @Test(
    "where a connection ends without a single answer, the first item may be the reason: that is an attempt")
  func blamed() throws {
    server.state.withLock { $0.acts = ["a": [.hangUp, .hangUp]] }
    let transport = try transport()
    defer { transport.end() }
    send("a", by: transport)
    #expect(eventually { ends.entries == ["a: a: the connection is lost"] }, "\(ends.entries)")
  }

  @Test("where the server has answered a greeting, no item is blamed for the end of the connection")
  func greeted() throws {
    server.state.withLock { ($0.acts, $0.isGreeting) = (["a": [.keep, .hangUp]], true) }
    let transport = try transport(timeout: .milliseconds(500))
    defer { transport.end() }
    send("a", by: transport)
    #expect(eventually { ends.entries.count == 1 }, "\(ends.entries)")
    #expect(ends.entries[0] == "a: sent" || ends.entries[0].hasSuffix("(no attempt)"), "\(ends.entries)")
    #expect(server.state.withLock { !$0.failures.isEmpty })
  }

  @Test(
    "a library that is missing fails the sink where it connects, and not where messages are printed or suppressed"
  )
  func loaded() throws {
    let context = SinkContext.lone(.real, waiting: .acrossTurns) { _ in }
    func transport(_ context: SinkContext) throws {
      _ = try LinkedTransport(
        .init(server: "server", timeout: .seconds(1)), context,
        load: { throw Refusal(description: "no library") }, read: { _ in nil }
      ) { [server] _, _ in try Connection(server) }
    }
    #expect(throws: Refusal.self) { try transport(context) }
    try transport(.lone(.real, waiting: .acrossTurns, isDryRun: true) { _ in })
  }

  @Test("an answer that is late ends the connection, and the item is sent by the next")
  func late() throws {
    server.state.withLock { $0.acts = ["b": [.keep]] }
    let transport = try transport(timeout: .milliseconds(100))
    defer { transport.end() }
    send("a", by: transport)
    #expect(eventually { ends.entries.count == 1 })
    send("b", by: transport)
    #expect(
      eventually { log.entries.contains { $0.has("no acknowledgement within 100ms") } }, "\(log.entries)")
    // While there is none, the queue learns that it was no attempt, or the next connection has sent it.
    #expect(eventually { ends.entries.count == 2 })
    #expect(ends.entries[1] == "b: sent" || ends.entries[1].hasSuffix("(no attempt)"), "\(ends.entries)")
  }

  @Test("where answers need no order, one that is late is its item's failure, and the connection stays")
  func lateAlone() throws {
    server.state.withLock { ($0.acts, $0.answersInOrder) = (["b": [.keep]], false) }
    let transport = try transport(timeout: .milliseconds(100))
    defer { transport.end() }
    send("a", "b", "c", by: transport)
    #expect(eventually { ends.entries.count == 3 })
    expect(ends.entries, equals: ["a: sent", "c: sent", "b: b: no acknowledgement within 100ms"])
    #expect(server.state.withLock { $0.connections } == 1 && log.entries.isEmpty)
  }

  @Test("items that are begun together are sent in order, and cancelled together")
  func together() throws {
    server.state.withLock { $0.isAway = true }
    let transport = try transport()
    defer { transport.end() }
    send("a", "b", by: transport).dispose()
    send("c", "d", by: transport)
    expect(ends.entries, equals: ["a: cancelled", "b: cancelled"])
    server.state.withLock { $0.isAway = false }
    #expect(eventually { ends.entries.suffix(2) == ["c: sent", "d: sent"] })
    expect(received(), equals: ["c", "d"])
  }

  @Test("an item that is begun again is sent in the order in which it came")
  func inOrder() throws {
    server.state.withLock { $0.isAway = true }
    let transport = try transport()
    defer { transport.end() }
    send("b", by: transport, order: 2)
    send("c", by: transport, order: 3)
    #expect(eventually { server.state.withLock { $0.connections } > 0 })
    send("a", by: transport, order: 1)
    server.state.withLock { $0.isAway = false }
    #expect(eventually { ends.entries.count == 3 })
    expect(received(), equals: ["a", "b", "c"])
  }

  @Test("without a connection an item ends after its time, which is no attempt, at the end for the next run")
  func away() throws {
    server.state.withLock { $0.isAway = true }
    let transport = try transport(timeout: .milliseconds(50))
    send("a", by: transport)
    #expect(eventually { ends.entries == ["a: there is no server (no attempt)"] }, "\(ends.entries)")
    transport.beginEnd()
    send("b", by: transport)
    #expect(
      eventually { lane.failures.withLock { $0.last?.retryAt } ?? 0 > World.real.wallClock() + 1000 })
    transport.end()
  }

  @Test("what is cancelled before it was sent is not sent")
  func cancelled() throws {
    server.state.withLock { $0.isAway = true }
    let transport = try transport()
    defer { transport.end() }
    send("a", by: transport).dispose()
    send("b", by: transport)
    expect(ends.entries, equals: ["a: cancelled"])
    server.state.withLock { $0.isAway = false }
    #expect(eventually { ends.entries.last == "b: sent" })
    expect(received(), equals: ["b"])
  }
}
