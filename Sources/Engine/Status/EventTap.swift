import JSON
import Language
import Reactive

/// A tap: a bounded record of what passes the nodes that it is attached to, while the pipeline runs.
///
///     let tap = EventTap()
///     monitor.attach(tap, to: "slips", nodes: ["changes"])
///     let (events, missed) = tap.take()  // or tap.latest(20), which leaves them
///     monitor.detach(tap)
///
/// The lane writes to it, and never waits for it. A full tap drops its oldest events, and one that would cost the lane
/// too much skips events; both are counted. Values are kept as JSON, so that the memory of a tap is bounded. Written by
/// lanes, read from any thread.
package final class EventTap: Sendable {
  package struct Limits: Sendable {
    /// The number of events that are kept until they are taken.
    package var events: Int
    package var bytes: Int
    /// How much the lanes record in a second; the same amount at once.
    package var eventsPerSecond: Int
    package var bytesPerSecond: Int

    package init(
      events: Int = 16384, bytes: Int = 8 << 20, eventsPerSecond: Int = 10_000, bytesPerSecond: Int = 16 << 20
    ) {
      (self.events, self.bytes) = (events, bytes)
      (self.eventsPerSecond, self.bytesPerSecond) = (eventsPerSecond, bytesPerSecond)
    }
  }

  private struct State {
    /// The events that are kept begin at `first`; those before it are empty.
    var events: [TappedEvent] = []
    var first = 0
    var bytes = 0
    var missed = 0
    /// The allowance for recording: refilled as time passes, and never more than a second's worth.
    var allowance: (events: Double, bytes: Double)
    var refilled: Instant
    /// Events skipped since the allowance was used up: not each one asks for the time.
    var skipped = 0

    var isEmpty: Bool { first == events.count }
  }

  /// One in so many events asks for the time while the allowance is used up.
  private static let skips = 64

  private let limits: Limits
  private let clock: @Sendable () -> Instant
  private let state: Locked<State>
  private let wake: @Sendable () -> Void

  /// `wake` is called when there is something to take again; on a lane, so it must be quick.
  package init(
    _ limits: Limits = Limits(), clock: @escaping @Sendable () -> Instant = { MonotonicClock.now },
    wake: @escaping @Sendable () -> Void = {}
  ) {
    self.limits = limits
    self.clock = clock
    self.wake = wake
    state = Locked(
      State(
        allowance: (Double(limits.eventsPerSecond), Double(limits.bytesPerSecond)), refilled: clock()))
  }

  /// Takes what was recorded since the last time, oldest first, and the number of events that are missing in it.
  package func take() -> (events: [TappedEvent], missed: Int) {
    state.withLock { state in
      let taken = (Array(state.events[state.first...]), state.missed)
      (state.events, state.first, state.bytes, state.missed) = ([], 0, 0, 0)
      return taken
    }
  }

  /// The latest events, oldest first; they stay.
  package func latest(_ count: Int) -> [TappedEvent] {
    state.withLock { Array($0.events[$0.first...].suffix(count)) }
  }

  // MARK: - On a lane

  func record(_ event: Event, at time: Double, of pipeline: String, _ node: String) {
    guard state.withLock({ admit(&$0) }) else { return }
    // Outside of the lock, which a reader may want meanwhile.
    let json = event.isEndOfPoll ? nil : event.value.json
    let tapped = TappedEvent(
      pipeline: pipeline, node: node, at: time, source: event.poll.source, poll: event.poll.number, json: json
    )
    let wasEmpty = state.withLock { state in
      let wasEmpty = state.isEmpty && state.missed == 0
      state.allowance.bytes -= Double(tapped.size)
      state.events.append(tapped)
      state.bytes += tapped.size
      while !state.isEmpty, state.bytes > limits.bytes || state.events.count - state.first > limits.events {
        state.bytes -= state.events[state.first].size
        state.events[state.first].json = nil
        state.first += 1
        state.missed += 1
      }
      if state.first > state.events.count / 2 {
        state.events.removeFirst(state.first)
        state.first = 0
      }
      return wasEmpty
    }
    if wasEmpty { wake() }
  }

  /// Whether the allowance suffices for one more event, which it then pays.
  private func admit(_ state: inout State) -> Bool {
    if state.allowance.events < 1 || state.allowance.bytes <= 0 {
      state.skipped += 1
      if state.skipped % Self.skips == 1 { refill(&state) }
    }
    guard state.allowance.events >= 1, state.allowance.bytes > 0 else {
      state.missed += 1
      return false
    }
    state.skipped = 0
    state.allowance.events -= 1
    return true
  }

  private func refill(_ state: inout State) {
    let now = clock()
    let seconds = (now - state.refilled).inSeconds
    state.refilled = now
    func refilled(_ left: Double, _ rate: Int) -> Double { min(Double(rate), left + seconds * Double(rate)) }
    state.allowance.events = refilled(state.allowance.events, limits.eventsPerSecond)
    state.allowance.bytes = refilled(state.allowance.bytes, limits.bytesPerSecond)
  }
}

/// An event that has passed a node, or the end of a poll there.
package struct TappedEvent: Sendable, Equatable {
  package let pipeline: String
  package let node: String
  /// The time of its turn, in seconds since 1970.
  package let at: Double
  package let source: String
  /// The number of its poll; zero where the source has no polls.
  package let poll: Int
  /// The value as JSON; nil for the end of a poll.
  package fileprivate(set) var json: [UInt8]?

  package init(
    pipeline: String, node: String, at: Double, source: String, poll: Int, json: [UInt8]?
  ) {
    (self.pipeline, self.node, self.at) = (pipeline, node, at)
    (self.source, self.poll, self.json) = (source, poll, json)
  }

  package var isEndOfPoll: Bool { json == nil }

  /// The approximate number of bytes that it takes.
  fileprivate var size: Int { (json?.count ?? 0) + 64 }
}
