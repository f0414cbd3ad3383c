import Synchronization

/// Runs an action when a number of things have happened; at once if the number is zero.
final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let action: @Sendable () -> Void

  init(from count: Int, _ action: @escaping @Sendable () -> Void) {
    left = Atomic(count)
    self.action = action
    if count <= 0 { action() }
  }

  func signal() {
    if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { action() }
  }
}
