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

  private static let waits = 1.0...60.0

  /// Listens on a thread of its own until the stop; false where there is none.
  func start() -> Bool { startThread(named: "flow-listen") { run() } }

  func run() {
    var (wait, isAway, isFirst) = (Self.waits.lowerBound, false, true)
    while !stop.isSet {
      var listening: ContinuousClock.Instant?
      do throws(PQError) {
        let connection = try PQConnection(url, stop) { [name, log] text in
          log.detail("\(name): the server notes: \(text)")
        }
        try connection.run("LISTEN \(SQLText.quoted(channel))")
        connection.end = nil
        if isAway { log.notice("\(name): listening to \(channel) again") }
        // While nothing listened, something may have changed; the first poll comes by itself.
        if !isFirst { notified() }
        (listening, isAway, isFirst) = (.now, false, false)
        while true {
          try connection.waitForNotifications()
          notified()
        }
      } catch {
        if stop.isSet { return }
        if !isAway {
          let reason = error.message.replacing(url, by: name)
          log.warning("\(name): not listening to \(channel): \(reason); polls come by the schedule alone")
        }
        (isAway, isFirst) = (true, false)
        // A server that takes connections and ends them at once is not asked, and polled, each second.
        if let listening, .now - listening > .seconds(Self.waits.upperBound) { wait = Self.waits.lowerBound }
        stop.wait(seconds: wait)
        wait = min(wait * 2, Self.waits.upperBound)
      }
    }
  }
}
