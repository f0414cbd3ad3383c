import Delivery
import Engine
import Language
import Reactive
import System

/// `LISTEN` on a connection of its own, which is made again after each failure, at growing intervals.
struct PostgreSQLListener: Sendable {
  let name: String
  let url: String
  let channel: String
  let stop: StopSign
  let log: NodeLog
  /// Called when notifications have come, and when some may have been missed.
  let notified: @Sendable () -> Void

  /// Listens on a thread of its own until the stop; false where there is none.
  func start() -> Bool { startThread(named: "flow-listen") { run() } }

  func run() {
    let health = Health(listener: self)
    // A server that takes connections and ends them at once is not asked, and polled, each second.
    let link = ConnectionLink(health, goodTime: .seconds(60))
    try? link.run {
      let connection = try PQConnection(url, stop) { [name, log] text in
        log.detail("\(name): the server notes: \(text)")
      }
      try connection.run("LISTEN \(SQLText.quoted(channel))")
      connection.end = nil
      // While nothing listened, something may have changed; the first poll comes by itself.
      if link.wasConnected || health.isAway { notified() }
      link.noteConnected()
      while true {
        try connection.waitForNotifications()
        notified()
      }
    }
  }

  /// The link of a listener: the source is polled by its schedule all the same, so that only the log has it.
  private final class Health: LinkHealth {
    private let listener: PostgreSQLListener
    private(set) var isAway = false

    init(listener: PostgreSQLListener) { self.listener = listener }

    var isStopped: Bool { listener.stop.isSet }
    var isOnce: Bool { false }
    var random: @Sendable () -> Double { { Double.random(in: 0..<1) } }

    func isFinal(_ error: any Error) -> Bool { false }

    func noteConnected() {
      if isAway { listener.log.notice("\(listener.name): listening to \(listener.channel) again") }
      isAway = false
    }

    func noteFailure(_ error: any Error, failures: Int, next: Duration) {
      if !isAway {
        let text = (error as? PQError)?.message ?? "\(error)"
        let reason = text.replacing(listener.url, by: listener.name)
        listener.log.warning(
          "\(listener.name): not listening to \(listener.channel): \(reason); polls come by the schedule alone"
        )
      }
      isAway = true
    }

    func wait(_ time: Duration, because reason: String) { listener.stop.wait(seconds: time.inSeconds) }
  }
}
