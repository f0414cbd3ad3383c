import Reactive

/// How a stretch of time is cut into windows.
enum WindowShape: Sendable {
  /// Windows of one size, one beginning every so often, counted from 1970.
  case aligned(size: Duration, every: Duration)
  /// From one event to the next as long as no pause is as long as `gap`, and the whole no longer than `max`.
  case session(gap: Duration, max: Duration)

  /// How long a window may be.
  var longest: Duration {
    switch self {
    case .aligned(let size, _): size
    case .session(_, let longest): longest
    }
  }
}

/// What a key's open windows hold, by time.
struct WindowBuffer<Element: Sendable>: Sendable {
  fileprivate(set) var entries: ArraySlice<(time: Instant, element: Element)> = []
  /// When the first of its windows ends.
  fileprivate(set) var end = Instant()
  /// How many entries are in its first session.
  fileprivate(set) var first = 0
}

/// A window that has ended, with what is in it.
struct ClosedWindow<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  let key: Key
  /// Of a session, when its first and its last element came.
  let start: Instant
  let end: Instant
  let elements: [Element]
}

/// What became of an element that came to its windows.
enum WindowEntry: Sendable {
  case taken
  /// All its windows have ended.
  case late
  /// Its key's windows hold as much as they may.
  case full
}

/// The state machine of `window`: sorts elements into windows by key and time; memory and time are handed in.
///
/// Time is a watermark that only goes forward: whatever windows end by it have ended, and elements that come for none
/// but those are late. Windows that end at one instant are taken out in the order in which their keys were last
/// written. `advance` to a time, take out what is `closed`, then let elements in.
struct WindowMachine<State: KeyedState, Element: Sendable>: Sendable
where State: Sendable, State.Value == WindowBuffer<Element> {
  typealias Closed = ClosedWindow<State.Key, Element>

  private(set) var state: State
  private(set) var watermark: Instant
  /// The latest time of an element in an open window when the machine was made.
  private var latestStored = Instant(nanoseconds: .min)
  private let shape: WindowShape
  private let maxKeys: Int
  private let maxElements: Int
  private var deadlines = Deadlines<State.Key>()

  init(
    state: State, watermark: Instant? = nil, shape: WindowShape, maxKeys: Int, maxElements: Int
  ) {
    self.state = state
    self.watermark = watermark ?? Instant(nanoseconds: .min)
    self.shape = shape
    self.maxKeys = maxKeys
    self.maxElements = maxElements
    var ends: [(State.Key, Instant)] = []
    state.forEach { key, buffer in
      ends.append((key, buffer.end))
      if let last = buffer.entries.last { latestStored = max(latestStored, last.time) }
    }
    for (key, end) in ends { deadlines.set(end, for: key) }
  }

  /// The time at which the next window ends.
  var nextDeadline: Instant? {
    mutating get { deadlines.earliest }
  }

  /// How many elements are in open windows.
  var count: Int {
    var count = 0
    state.forEach { count += $1.entries.count }
    return count
  }

  mutating func advance(to time: Instant) { watermark = max(watermark, time) }

  /// Whether a clock that gave the times was set back to `time` by more than a window is long.
  ///
  /// By less, what is open waits no longer than two windows.
  func isFarAhead(of time: Instant) -> Bool { max(watermark, latestStored) > time + shape.longest }

  /// Ends all windows, which `closed` then takes out, before the watermark goes back by `resume`.
  mutating func endAll() { watermark = .distantFuture }

  mutating func resume(at time: Instant) {
    watermark = time
    latestStored = time
  }

  /// Takes out the next window that has ended, if one has.
  mutating func closed() -> Closed? {
    guard let key = deadlines.popFirst(dueBy: watermark), var buffer = state.remove(key) else { return nil }
    let window = takeFirst(key, &buffer)
    keep(buffer, key)
    return window
  }

  /// Takes an element in, if there is a window for it.
  mutating func accept(_ element: Element, for key: State.Key, at time: Instant) -> WindowEntry {
    if isLate(time) { return .late }
    if state.value(for: key)?.entries.count ?? 0 >= maxElements { return .full }
    // Taken out, so that there is one owner and it is changed in place.
    var buffer = state.remove(key) ?? WindowBuffer()
    if let last = buffer.entries.last, time < last.time {
      let place = buffer.entries.partitioningIndex { $0.time > time }
      buffer.entries.insert((time, element), at: place)
      findFirst(&buffer, after: watermark)
    } else {
      buffer.entries.append((time, element))
      extendFirst(&buffer)
    }
    keep(buffer, key)
    return .taken
  }

  /// Takes out the windows of the key written longest ago, when there is a key too many.
  mutating func excess() -> [Closed] {
    guard state.count > maxKeys, let oldest = state.oldest, var buffer = state.remove(oldest.key) else {
      return []
    }
    deadlines.remove(oldest.key)
    var windows: [Closed] = []
    while !buffer.entries.isEmpty { windows.append(takeFirst(oldest.key, &buffer)) }
    return windows
  }

  private mutating func keep(_ buffer: WindowBuffer<Element>, _ key: State.Key) {
    if buffer.entries.isEmpty { return }
    state.set(buffer, for: key)
    deadlines.set(buffer.end, for: key)
  }

  private func isLate(_ time: Instant) -> Bool {
    switch shape {
    case .aligned(let size, let every):
      nextEnd(after: max(watermark, time), size, every) - size > time
    case .session(let gap, _): time + gap <= watermark
    }
  }

  private func takeFirst(_ key: State.Key, _ buffer: inout WindowBuffer<Element>) -> Closed {
    let end = buffer.end
    let entries = buffer.entries
    switch shape {
    case .aligned(let size, let every):
      let elements = entries.prefix { $0.time < end }.map(\.element)
      // At the end of what can be counted, no other window follows.
      let rest = end == .distantFuture ? [] : entries.drop { $0.time < end - size + every }
      buffer.entries = slice(rest)
      findFirst(&buffer, after: end)
      return Closed(key: key, start: end - size, end: end, elements: elements)
    case .session:
      let session = entries.prefix(buffer.first)
      buffer.entries = slice(entries.dropFirst(buffer.first))
      findFirst(&buffer, after: end)
      return Closed(
        key: key, start: session.first?.time ?? end, end: session.last?.time ?? end,
        elements: session.map(\.element))
    }
  }

  /// With memory of its own, so that what has been taken out is let go of.
  private func slice(
    _ entries: ArraySlice<(time: Instant, element: Element)>
  ) -> ArraySlice<(time: Instant, element: Element)> {
    Array(entries)[...]
  }

  /// Finds the first window after one that ended.
  private func findFirst(_ buffer: inout WindowBuffer<Element>, after end: Instant) {
    guard let first = buffer.entries.first else { return }
    switch shape {
    case .aligned(let size, let every): buffer.end = nextEnd(after: max(end, first.time), size, every)
    case .session(let gap, let longest):
      var last = first.time
      buffer.first = 0
      for entry in buffer.entries {
        if buffer.first > 0, entry.time >= last + gap || entry.time >= first.time + longest { break }
        last = entry.time
        buffer.first += 1
      }
      buffer.end = min(last + gap, first.time + longest)
    }
  }

  /// The same after an element was added at the end.
  private func extendFirst(_ buffer: inout WindowBuffer<Element>) {
    guard let first = buffer.entries.first, let last = buffer.entries.last else { return }
    // Aligned windows that had ended are open again where the clock is back before their ends.
    guard case .session(let gap, let longest) = shape, buffer.entries.count > 1 else {
      return findFirst(&buffer, after: watermark)
    }
    guard buffer.first == buffer.entries.count - 1, last.time < buffer.end else { return }
    buffer.first += 1
    buffer.end = min(last.time + gap, first.time + longest)
  }

  private func nextEnd(after time: Instant, _ size: Duration, _ every: Duration) -> Instant {
    let step = every.nanoseconds
    // Remainders first: the times themselves may be too far from each other to be subtracted.
    let sinceStep = time.nanoseconds % step
    let past = (sinceStep < 0 ? sinceStep + step : sinceStep) - size.nanoseconds % step
    return time + .nanoseconds(past < 0 ? -past : step - past)
  }
}

extension ArraySlice {
  /// Where the elements for which the condition holds begin; they come last.
  fileprivate func partitioningIndex(_ isLater: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isLater(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
