import Engine
import NATS
import Reactive

/// Reports what happens to a connection, each kind of trouble at most once a minute.
final class ConnectionLog {
  private let servers: String
  private let log: NodeLog
  private var isLost = false
  private var lastNotes: [String: Instant] = [:]

  /// The source whose connection it is; nil for a sink's.
  private let source: SourceContext?

  init(_ servers: String, _ log: NodeLog, of source: SourceContext? = nil) {
    (self.servers, self.log, self.source) = (servers, log, source)
  }

  /// A new connection begins, whatever became of the one before.
  func begin() { isLost = false }

  func connected() {
    if isLost { source?.noteConnection() }
    isLost = false
  }

  func noAnswer(_ reason: String) {
    if isFirst("no answer") { log.notice("\(servers): \(reason); retrying") }
  }

  func gap() {
    if isFirst("gap") { log.notice("messages were missing in an answer of \(servers); it is read again") }
  }

  /// The replica that is read lacks what the leader has.
  func behind(_ stream: String) {
    if isFirst("behind") {
      log.notice("the server's replica of the stream \(stream) is behind; connecting again, to any server")
    }
  }

  /// Reports an entry of the connection's queue.
  ///
  /// `losesMessages` says whether messages are lost while there is no connection.
  func see(_ entry: NATSEntry, losesMessages: Bool) {
    switch entry.kind {
    case .message, .wakeUp: return
    case .disconnected, .closed:
      // libnats connects again by itself, every two seconds.
      if !isLost {
        source?.noteDisconnection(NATSError(.unreachable, "\(servers): the connection is lost"), .seconds(2))
      }
      isLost = true
    case .reconnected:
      connected()
      if losesMessages { log.warning("messages that were published meanwhile are lost") }
    case .error(isLoss: true):
      if isFirst("loss") {
        log.warning("messages are lost: they arrive faster than the pipeline processes them")
      }
    case .error(isLoss: false):
      let text = entry.text
      if isFirst(text) { log.error("\(servers): \(text)") }
    }
  }

  private func isFirst(_ kind: String) -> Bool {
    let now = MonotonicClock.now
    if let last = lastNotes[kind], now - last < .seconds(60) { return false }
    if lastNotes.count > 100 { lastNotes = [:] }
    lastNotes[kind] = now
    return true
  }
}
