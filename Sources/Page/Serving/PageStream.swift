import CMicrohttpd
import Reactive

/// The feed of a live page: what an open answer sends, in the form of server-sent events.
package protocol PageFeed: Sendable {
  /// Calls `notify` when there may be something new, from any thread, until what is returned is called.
  func join(_ notify: @escaping @Sendable () -> Void) -> @Sendable () -> Void

  /// The events that the tab lacks; empty where it lacks nothing. The first answer is never empty: the tab is live.
  mutating func next() -> [UInt8]
}

/// The open answer of one tab: it sleeps, suspended in the server, until its feed wakes it.
///
/// Buffers one event; a slow tab skips intermediate states.
final class PageStream: Sendable {
  private struct State: Sendable {
    var feed: any PageFeed
    var pending: ArraySlice<UInt8> = []
    /// Whether the feed has called, or a sign of life is due, since the last look.
    var isDirty = true
    var isBeatDue = false
    var isSuspended = false
    var isOver = false
  }

  static let end = -1
  /// A comment, which shows whether the tab is still there.
  private static let beat = Array(": \n\n".utf8)

  private let state: Locked<State>
  /// The server's connection, which outlives the stream.
  private let connection: UInt
  /// Ends the calls that wake it.
  private let leaving = Locked<(@Sendable () -> Void)?>(nil)

  init(_ feed: any PageFeed, _ connection: OpaquePointer) {
    state = Locked(State(feed: feed))
    self.connection = UInt(bitPattern: connection)
    let leave = feed.join { [weak self] in self?.wake() }
    leaving.withLock { $0 = leave }
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
    var (feed, isDirty, isBeatDue) = state.withLock { state in
      defer { (state.isDirty, state.isBeatDue) = (false, false) }
      return (state.feed, state.isDirty, state.isBeatDue)
    }
    let bytes = isDirty ? feed.next() : []
    let made = feed
    state.withLock { state in
      state.feed = made
      state.pending = (bytes.isEmpty && isBeatDue ? Self.beat : bytes)[...]
    }
  }

  private static func copy(_ pending: inout ArraySlice<UInt8>, to room: UnsafeMutableBufferPointer<CChar>)
    -> Int
  {
    let count = min(room.count, pending.count)
    pending.prefix(count).withUnsafeBytes { UnsafeMutableRawBufferPointer(room).copyMemory(from: $0) }
    // What has been sent is given back: hundreds of tabs would otherwise each keep the largest event.
    pending = count == pending.count ? [] : pending.dropFirst(count)
    return count
  }

  /// There is something new; from any thread.
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
    leaving.withLock { $0.take() }?()
  }
}
