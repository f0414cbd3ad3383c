import CMicrohttpd
import Reactive

/// The open answer of one tab: it sleeps, suspended in the server, until its view changes.
///
/// Nothing waits in it but the event that is being sent: what a slow tab misses is sent as the state of then.
final class PageStream: Sendable {
  private struct State: Sendable {
    var updates: PageUpdates
    var pending: ArraySlice<UInt8> = []
    /// Whether the view has changed, or a sign of life is due, since the last look.
    var isDirty = true
    var isBeatDue = false
    var isSuspended = false
    var isOver = false
  }

  static let end = -1

  private let state: Locked<State>
  private let view: PageView
  /// The server's connection, which outlives the stream.
  private let connection: UInt
  private let number = Locked<Int?>(nil)

  init(_ updates: PageUpdates, _ connection: OpaquePointer) {
    state = Locked(State(updates: updates))
    view = updates.view
    self.connection = UInt(bitPattern: connection)
    let joined = view.join { [weak self] in self?.wake() }
    number.withLock { $0 = joined }
  }

  /// Copies what is to be sent; suspends the connection and returns 0 when there is nothing.
  func read(_ room: UnsafeMutableBufferPointer<CChar>) -> Int {
    while true {
      let count: Int? = state.withLock { state in
        if state.isOver { return Self.end }
        if !state.pending.isEmpty { return Self.copy(&state.pending, to: room) }
        if state.isDirty || state.isBeatDue { return nil }
        // Under the lock: a call that wakes it comes before this look, or finds it suspended.
        state.isSuspended = true
        flow_mhd_suspend(OpaquePointer(bitPattern: connection))
        return 0
      }
      if let count { return count }
      gather()
    }
  }

  /// Makes the next event, outside of the lock: a commit must not wait for it.
  private func gather() {
    var (updates, isDirty) = state.withLock { state in
      defer { (state.isDirty, state.isBeatDue) = (false, false) }
      return (state.updates, state.isDirty)
    }
    let bytes = isDirty ? updates.next() : []
    let made = updates
    state.withLock { state in
      state.updates = made
      state.pending = (bytes.isEmpty && !isDirty ? PageUpdates.beat : bytes)[...]
    }
  }

  private static func copy(_ pending: inout ArraySlice<UInt8>, to room: UnsafeMutableBufferPointer<CChar>)
    -> Int
  {
    let count = min(room.count, pending.count)
    pending.prefix(count).withUnsafeBytes { UnsafeMutableRawBufferPointer(room).copyMemory(from: $0) }
    pending = pending.dropFirst(count)
    return count
  }

  /// The view has changed; from any thread.
  private func wake() { resume { $0.isDirty = true } }

  /// A sign of life is due: a tab that has gone is noticed by it.
  func beat() { resume { $0.isBeatDue = true } }

  /// Ends the answer, so that the server can stop.
  func stop() { resume { $0.isOver = true } }

  private func resume(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      guard state.isSuspended else { return }
      state.isSuspended = false
      flow_mhd_resume(OpaquePointer(bitPattern: connection))
    }
  }

  /// The tab has gone.
  func leave() {
    if let joined = number.withLock({ $0.take() }) { view.leave(joined) }
  }
}
