import Engine
import Fetch
import Language
import Reactive
import System

/// An error of a connection that says whether another attempt may succeed without a change of settings.
package protocol LinkError: Error, Sendable {
  var mayPass: Bool { get }
}

/// A connection that goes on: made, served until it ends, and made again, at growing intervals while that fails.
///
///     let link = ConnectionLink(SourceLinkHealth(context))
///     try link.run {
///       let connection = try Connection(settings)
///       link.noteConnected()
///       while let message = try connection.next() { link.noteReceived(); feed.send([message]) }
///       return .done
///     }
///
/// One thread uses it. Its user gives each wait a deadline, and has a heartbeat find a peer that has
/// vanished: a link hears of that by an error alone.
package final class ConnectionLink {
  /// How a connection has ended that did not fail.
  package enum End {
    /// There is nothing more to do.
    case done
    /// The next one is made, after a wait.
    case again(after: Duration, because: String)
  }

  private let health: any LinkHealth
  /// A connection that went on for so long was a good one.
  private let goodTime: Duration
  /// The waits while connections fail.
  package var backoff: Backoff
  /// The connections in a row that have failed without having brought anything.
  package private(set) var failures = 0
  /// Whether there was ever a connection.
  package private(set) var wasConnected = false
  private var isConnected = false
  private var hasReceived = false

  package init(
    _ health: any LinkHealth, first: Duration = .seconds(1), longest: Duration = .seconds(60),
    jitter: Double = 0.2, goodTime: Duration = .seconds(10)
  ) {
    (self.health, self.goodTime) = (health, goodTime)
    backoff = Backoff(initial: first, cap: longest, jitter: jitter, random: health.random)
  }

  /// Connects and serves, again and again, until the run ends, nothing is left to do, or the health lets a failure end it.
  package func run(_ serve: () throws -> End) throws {
    while !health.isStopped {
      let start = MonotonicClock.now
      (isConnected, hasReceived) = (false, false)
      do {
        guard case .again(let wait, let reason) = try serve(), !health.isStopped else { return }
        failures = 0
        health.wait(wait, because: reason)
      } catch {
        if health.isStopped { return }
        if health.isOnce || !wasConnected && health.isFinal(error) { throw error }
        let wasGood = hasReceived || isConnected && MonotonicClock.now - start > goodTime
        failures = wasGood ? 1 : failures + 1
        let own = backoff.delay(beforeRetry: failures - 1, after: error) ?? backoff.cap
        let pause = max(own, health.requestedWait(error))
        health.noteFailure(error, failures: failures, next: pause)
        health.wait(pause, because: "\(error)")
      }
    }
  }

  /// Notes that there is a connection, which is heard from.
  package func noteConnected() {
    if isConnected { return }
    (wasConnected, isConnected) = (true, true)
    health.noteConnected()
  }

  /// Notes that the connection has brought something, so that its end is no failure to connect.
  package func noteReceived() { hasReceived = true }
}

/// The side of a link that others see: a source's, or a sink's.
package protocol LinkHealth {
  var isStopped: Bool { get }
  /// Whether there is one attempt, whose failure is that of the run.
  var isOnce: Bool { get }
  var random: @Sendable () -> Double { get }
  /// Whether an error ends the link, as one of a login does before there was any connection.
  func isFinal(_ error: any Error) -> Bool
  /// The wait that the other side has asked for.
  func requestedWait(_ error: any Error) -> Duration
  func noteConnected()
  /// Notes why there is no connection, how many in a row have failed, and how long the wait for the next one is.
  func noteFailure(_ error: any Error, failures: Int, next: Duration)
  func wait(_ time: Duration, because reason: String)
}

extension LinkHealth {
  package func isFinal(_ error: any Error) -> Bool { (error as? any LinkError)?.mayPass == false }
  package func requestedWait(_ error: any Error) -> Duration { .zero }
}

/// The link of a source: its status, the outage that `errors` has, and the log at growing intervals.
package struct SourceLinkHealth: LinkHealth {
  private let context: SourceContext
  /// The words for the next attempt.
  private let words: String
  private let isFinal: (any Error) -> Bool

  package init(
    _ context: SourceContext, words: String = "connecting again",
    isFinal: @escaping (any Error) -> Bool = { ($0 as? any LinkError)?.mayPass == false }
  ) {
    (self.context, self.words, self.isFinal) = (context, words, isFinal)
  }

  package var isStopped: Bool { context.stop.isSet }
  package var isOnce: Bool { context.isOnce }
  package var random: @Sendable () -> Double { context.world.random }

  package func isFinal(_ error: any Error) -> Bool { isFinal(error) }

  /// The wait that a server has asked for with Retry-After.
  package func requestedWait(_ error: any Error) -> Duration {
    guard let time = (error as? any PollFailure)?.retryAt else { return .zero }
    return .seconds(min(max(0, time - context.world.wallClock()), 1e9))
  }

  package func noteConnected() { context.noteConnection() }

  package func noteFailure(_ error: any Error, failures: Int, next: Duration) {
    context.noteDisconnection(error, next)
  }

  package func wait(_ time: Duration, because reason: String) {
    let until = context.world.wallClock() + time.inSeconds
    context.progress(PollProgress("", wait: "\(reason); \(words)", until: until))
    context.stop.wait(seconds: context.world.speed.machine(for: time).inSeconds)
    context.progress(nil)
  }
}
