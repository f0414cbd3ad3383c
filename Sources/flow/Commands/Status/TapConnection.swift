import Engine
import Glibc
import JSON
import Language
import Reactive
import System

/// The request of a tap: `{"get": "tap", "nodes": [{"pipeline": "slips", "node": "changes"}, …]}`; without `node`, all
/// nodes of the pipeline.
struct TapRequest {
  /// The nodes to attach to by pipeline, nil for all.
  let nodes: [String: Set<String>?]

  /// Throws a sentence where a pipeline or a node does not exist here.
  init(_ json: Value, _ roster: RunRoster) throws(WrongUse) {
    var nodes: [String: Set<String>?] = [:]
    for target in [TapTarget](member: json.member("nodes")) ?? [] {
      guard let known = roster.nodes(of: target.pipeline) else {
        throw WrongUse("no pipeline \(quoted(target.pipeline)) runs here")
      }
      if let node = target.node, !known.contains(node) {
        throw WrongUse("\(target.pipeline) has no node \(quoted(node))")
      }
      let before = nodes[target.pipeline] ?? []
      let after: Set<String>? = target.node.flatMap { node in before.map { $0.union([node]) } }
      nodes.updateValue(after, forKey: target.pipeline)
    }
    if nodes.isEmpty { throw WrongUse("a pipeline is missing") }
    self.nodes = nodes
  }
}

/// The connections of a process that taps are read through: a thread for each, a limited number.
final class TapConnections: Sendable {
  private static let most = 16
  /// How long the end of the process waits for what taps still have to send.
  private static let timeout = Duration.milliseconds(1500)

  private let count = ConditionLock(0)

  /// Attaches a tap, and sends what it records until the client leaves or the pipelines have ended.
  func open(
    _ request: TapRequest, over connection: inout Descriptor, until end: StopSign, _ roster: RunRoster
  ) throws(WrongUse) {
    let hasRoom = count.change { count in
      if count >= Self.most { return false }
      count += 1
      return true
    }
    guard hasRoom else { throw WrongUse("\(Self.most) taps are attached already") }
    let number = connection.release()
    let isStarted = startThread(named: "flow-tap") { [count] in
      // Closed before the end of the process stops waiting.
      TapConnection(Descriptor(owning: number), until: end).serve(request, roster)
      count.change { $0 -= 1 }
    }
    if !isStarted {
      Glibc.close(number)
      count.change { $0 -= 1 }
    }
  }

  func waitForEnds() {
    _ = count.wait(until: MonotonicClock.now + Self.timeout) { $0 == 0 ? () : nil }
  }
}

/// A connection through which a tap is read.
///
/// It sends lines of JSON: first `{"tap":true}`, then one for each event and each end of a poll, with `pipeline`, `node`,
/// `at`, `source`, `poll` and, last, `event`, which an end of a poll has not; `{"missed":N}` where events are missing;
/// `{"end":true}` when the pipelines have ended. A client that reads slowly holds up this thread only: the tap then drops
/// events.
private final class TapConnection {
  /// The time after which recorded events are sent together.
  private static let pause = Duration.milliseconds(20)
  /// How often to look whether the pipelines have ended.
  private static let tick = Duration.milliseconds(250)
  /// The time that sending may take after the end.
  private static let grace = Duration.milliseconds(1000)
  private static let chunk = 1 << 16

  private let connection: Descriptor
  private let end: StopSign
  /// It belongs to the tap too, so that its descriptor is open as long as any lane may ring it.
  private let wakeUp = WakeUp()
  private var deadline: Instant?
  private var output: [UInt8] = []
  private var prefixes: [String: [UInt8]] = [:]

  init(_ connection: consuming Descriptor, until end: StopSign) {
    self.connection = connection
    self.end = end
    self.connection.neverBlock()
  }

  func serve(_ request: TapRequest, _ roster: RunRoster) {
    let tap = EventTap(wake: { [wakeUp] in wakeUp.ring() })
    for (pipeline, nodes) in request.nodes { roster.attach(tap, to: pipeline, nodes) }
    defer { roster.detach(tap) }
    let pipelines = Set(request.nodes.keys)
    output = Array("{\"tap\":true}\n".utf8)
    guard flush() else { return }
    var ends = 0
    while true {
      let ready = awaitDescriptors(
        [.input(connection.number), .input(end.descriptor), .input(wakeUp.descriptor)],
        for: Self.tick)
      if ready[0], hasLeft { return }
      // Twice in a row: between a run and the one that replaces it there is a moment without any.
      ends = roster.haveEnded(pipelines) ? ends + 1 : 0
      let isLast = end.isSet || ends > 1
      if isLast { deadline = MonotonicClock.now + Self.grace }
      wakeUp.clear()
      guard send(tap.take()) else { return }
      if isLast {
        output = Array("{\"end\":true}\n".utf8)
        _ = flush()
        return
      }
      awaitDescriptors([.input(connection.number), .input(end.descriptor)], for: Self.pause)
    }
  }

  /// Whether the client has gone; what it may send is of no interest.
  private var hasLeft: Bool {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = recv(connection.number, &bytes, bytes.count, 0)
    return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
  }

  private func send(_ taken: (events: [TappedEvent], missed: Int)) -> Bool {
    if taken.missed > 0 { output += Array("{\"missed\":\(taken.missed)}\n".utf8) }
    for event in taken.events {
      output += prefix(of: event)
      output += Array(
        ",\"at\":\"\(timestamp(event.at))\",\"poll\":\(event.poll == 0 ? "null" : String(event.poll))".utf8)
      if let json = event.json {
        output += Array(",\"event\":".utf8)
        output += json
      }
      output += [UInt8(ascii: "}"), 0x0a]
      if output.count >= Self.chunk, !flush() { return false }
    }
    return flush()
  }

  private func prefix(of event: TappedEvent) -> [UInt8] {
    let key = "\(event.pipeline)\0\(event.node)\0\(event.source)"
    if let known = prefixes[key] { return known }
    let record = Value.record([
      ("pipeline", .string(event.pipeline)), ("node", .string(event.node)), ("source", .string(event.source)),
    ])
    let prefix = Array(record.json.dropLast())
    prefixes[key] = prefix
    return prefix
  }

  /// Writes the output, however long the client takes, but not beyond the end of the process.
  private func flush() -> Bool {
    var rest = output[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(connection.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      guard count < 0, errno == EAGAIN || errno == EINTR else { return false }
      if let deadline, deadline <= MonotonicClock.now { return false }
      // Once the end has come, only the deadline counts.
      awaitDescriptors(
        [.output(connection.number), .input(deadline == nil ? end.descriptor : -1)],
        until: deadline ?? .distantFuture)
      if deadline == nil, end.isSet { deadline = MonotonicClock.now + Self.grace }
    }
    output.removeAll(keepingCapacity: true)
    return true
  }
}
