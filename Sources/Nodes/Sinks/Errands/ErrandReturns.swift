import System
import Reactive
import Engine
import Language

/// What comes back of errands, from whatever thread, until the lane takes it.
final class ErrandReturns: Sendable {
  typealias Returned = (number: Int64, failure: ErrandFailure?)

  private struct State: Sendable {
    /// Errands that are under way.
    var away: Set<Int64> = []
    var returned: [Returned] = []
  }

  private let state = Monitor(State())
  private let alarm: SinkAlarm

  init(_ alarm: SinkAlarm) { self.alarm = alarm }

  func expect(_ number: Int64) { state.change { _ = $0.away.insert(number) } }

  /// Nobody waits for it any more.
  func forget(_ number: Int64) { state.change { _ = $0.away.remove(number) } }

  func put(_ number: Int64, _ failure: ErrandFailure?) {
    let isFirst = state.change { state in
      guard state.away.remove(number) != nil else { return false }
      state.returned.append((number, failure))
      return state.returned.count == 1
    }
    if isFirst { alarm.ring() }
  }

  /// Everything that has come back since the last time.
  func take() -> [Returned] {
    state.change { state in
      defer { state.returned = [] }
      return state.returned
    }
  }

  /// Waits until something is back, or nothing is under way.
  func wait(until deadline: Instant) {
    _ = state.wait(until: deadline) { $0.returned.isEmpty && !$0.away.isEmpty ? nil : true }
  }
}
