import Engine
import Glibc
import JSON
import Language
import System

/// The client of a tap in one process: reads what `TapConnection` sends.
final class TapClient {
  /// A line of it.
  enum Message {
    case event(TapLine)
    case missed(Int)
  }

  private static let timeout = 5

  let process: Int
  private let connection: Descriptor
  private var rest: [UInt8] = []
  private(set) var isOpen = true
  /// Whether the pipelines have ended, rather than the process having been killed.
  private(set) var hasEnded = false

  var number: Int32 { connection.number }

  /// Connects, and attaches a tap; throws a sentence where that is impossible.
  init(_ process: Int, in folder: String, nodes: [TapTarget]) throws {
    self.process = process
    do throws(SystemError) {
      connection = try LocalSocket.connect(to: StatusClient.path(of: process, in: folder))
    } catch { throw StateError.failed("process \(process) does not answer: \(error.reason)") }
    LocalSocket.setTimeout(Self.timeout, of: connection.number)
    let request = Value.record([
      ("get", .string("tap")), ("nodes", nodes.jsonValue),
    ])
    guard LocalSocket.write(request.json + [0x0a], to: connection.number), let line = readLine(),
      let answer = try? Value.parse(line)
    else { throw StateError.failed("process \(process) does not answer") }
    if let reason = answer.member("error")?.string { throw StateError.failed(reason) }
    connection.neverBlock()
  }

  /// The first line; what was read beyond it is kept.
  private func readLine() -> [UInt8]? {
    while true {
      if let end = rest.firstIndex(of: 0x0a) {
        defer { rest.removeFirst(end + 1) }
        return Array(rest[..<end])
      }
      guard receive() else { return nil }
    }
  }

  /// Appends what can be read now; false at the end, or where there is nothing in time.
  private func receive() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(connection.number, &chunk, chunk.count, 0)
      if count < 0, errno == EINTR { continue }
      if count <= 0 {
        isOpen = count < 0 && errno == EAGAIN
        return false
      }
      rest += chunk[..<count]
      return true
    }
  }

  /// Reads the messages that have arrived.
  func read(_ body: (Message) throws -> Void) rethrows {
    while true {
      let hasMore = rest.count < 1 << 20 && receive()
      var start = 0
      while let end = rest[start...].firstIndex(of: 0x0a) {
        defer { start = end + 1 }
        guard let value = try? Value.parse(Array(rest[start..<end])) else { continue }
        if let missed = Int(member: value.member("missed")) {
          try body(.missed(missed))
        } else if value.member("end") != nil {
          hasEnded = true
        } else if let line = TapLine(value) {
          try body(.event(line))
        }
      }
      rest.removeFirst(start)
      if !hasMore { return }
    }
  }
}

/// A node that is tapped; all nodes of the pipeline where none is named.
struct TapTarget: JSONRecord, Equatable {
  let pipeline: String
  let node: String?

  static let form = RecordForm<Self>(
    Self.init(pipeline:node:), Field("pipeline", \.pipeline), Field("node", \.node))
}

/// An event that has passed a node of another process, or the end of a poll there.
struct TapLine {
  let pipeline: String
  let node: String
  let isEndOfPoll: Bool
  /// With its pipeline, node, time and poll.
  let whole: Value
  let event: Value

  init?(_ json: Value) {
    guard let pipeline = json.member("pipeline")?.string, let node = json.member("node")?.string else {
      return nil
    }
    (self.pipeline, self.node, whole) = (pipeline, node, json)
    isEndOfPoll = json.member("event") == nil
    event = json.member("event") ?? .null
  }
}
