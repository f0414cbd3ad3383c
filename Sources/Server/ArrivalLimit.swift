import CMicrohttpd
import Glibc
import Reactive

/// The time limit for requests to arrive: closes connections on which one takes longer.
///
/// The server's own limit is for idle connections. A client that sends a byte now and then is never idle, and would
/// keep others out.
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
  private let scheduler: any Scheduler
  private let state = Locked(State())

  /// `scheduler` runs the timers; there are some only while requests arrive.
  package init(_ limit: Duration, on scheduler: any Scheduler) {
    self.limit = limit
    self.scheduler = scheduler
  }

  /// Starts to wait for a request on a connection: it is new, or its last request was answered.
  package func begin(_ connection: Int32) {
    end(connection)
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let timer = scheduler.schedule(after: limit) { [weak self] in self?.cut(connection, number) }
    state.withLock { $0.waits[connection] = Wait(number: number, timer: timer) }
  }

  /// Ends the wait: the request is complete, or the connection is about to be closed.
  package func end(_ connection: Int32) {
    state.withLock { $0.waits.removeValue(forKey: connection) }?.timer.dispose()
  }

  /// Shuts the connection down, which the server notices and closes it.
  private func cut(_ connection: Int32, _ number: Int) {
    state.withLock { state in
      // Under the lock, since the descriptor may be another connection's after `end`.
      guard state.waits[connection]?.number == number else { return }
      state.waits[connection] = nil
      shutdown(connection, Int32(SHUT_RDWR))
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
