import CMicrohttpd
import Glibc
import Reactive

/// The limits of waiting for requests to arrive: closes connections on which one takes too long, and the oldest where
/// too many are waited for.
///
/// The server's own limit is for idle connections. A client that sends a byte now and then is never idle, and one that
/// opens connections again and again would keep others out.
package final class ArrivalLimit: Sendable {
  private struct Wait: Sendable {
    let number: Int
    let timer: Subscription
  }

  private struct State: Sendable {
    var waits: [Int32: Wait] = [:]
    var count = 0
  }

  private let limit: Duration
  private let most: Int
  private let scheduler: any Scheduler
  private let state = Locked(State())

  /// `scheduler` runs the timers; there are some only while requests arrive.
  ///
  /// - Parameter most: How many connections may wait for a request, or be idle.
  package init(_ limit: Duration, most: Int = .max, on scheduler: any Scheduler) {
    self.limit = limit
    self.most = most
    self.scheduler = scheduler
  }

  /// Starts to wait for a request on a connection: it is new, or its last request was answered.
  package func begin(_ connection: Int32) {
    end(connection)
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let timer = scheduler.schedule(after: limit) { [weak self] in _ = self?.cut(connection, number) }
    let oldest = state.withLock { state in
      state.waits[connection] = Wait(number: number, timer: timer)
      return state.waits.count > most ? state.waits.min { $0.value.number < $1.value.number } : nil
    }
    if let (connection, wait) = oldest { cut(connection, wait.number)?.dispose() }
  }

  /// Ends the wait: the request is complete, or the connection is about to be closed.
  package func end(_ connection: Int32) {
    state.withLock { $0.waits.removeValue(forKey: connection) }?.timer.dispose()
  }

  /// Shuts the connection down, which the server notices and closes it; the timer of the wait.
  private func cut(_ connection: Int32, _ number: Int) -> Subscription? {
    state.withLock { state in
      // Under the lock, since the descriptor may be another connection's after `end`.
      guard state.waits[connection]?.number == number else { return nil }
      defer { state.waits[connection] = nil }
      shutdown(connection, Int32(SHUT_RDWR))
      return state.waits[connection]?.timer
    }
  }
}

extension ArrivalLimit {
  /// Notes that a connection has begun, or is about to be closed, as the library reports it.
  package func note(_ connection: OpaquePointer, _ what: MHD_ConnectionNotificationCode) {
    let descriptor = flow_mhd_descriptor(connection)
    if flow_mhd_has_begun(what) { begin(descriptor) } else { end(descriptor) }
  }
}
