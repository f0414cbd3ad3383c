import Reactive

/// The shape of windows.
enum WindowShape: Sendable {
  /// Windows of one size that begin at fixed intervals, counted from 1970.
  case aligned(size: Duration, every: Duration)
  /// Windows that last until there is no event for `gap`, or until they are `max` long.
  case session(gap: Duration, max: Duration)

  /// The longest duration of a window.
  var longest: Duration {
    switch self {
    case .aligned(let size, _): size
    case .session(_, let longest): longest
    }
  }
}

/// The entries of a key's open windows, ordered by time.
struct WindowBuffer<Element: Sendable>: Sendable {
  fileprivate(set) var entries: ArraySlice<(time: Instant, element: Element)> = []
  /// The end of the first open window.
  fileprivate(set) var end = Instant()
  /// The number of entries in the first session.
  fileprivate(set) var first = 0
}

/// A closed window with its elements.
struct ClosedWindow<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  let key: Key
  /// For a session, the times of its first and last element.
  let start: Instant
  let end: Instant
  let elements: [Element]
}

/// The output of `WindowMachine`.
enum WindowOutput<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  case closed(ClosedWindow<Key, Element>)
  /// An element was dropped, since all of its windows have closed.
  case late
  /// An element was dropped, since the windows of its key are full.
  case full
}

/// The state machine of `window`: assigns elements to windows by key and time.
///
/// Time is a watermark that only advances: windows that end before it are closed, and elements whose windows are all
/// closed are late. Windows that end at the same instant are closed in the order in which their keys were last written.
struct WindowMachine<State: KeyedState, Element: Sendable>: Machine
where State: Sendable, State.Value == WindowBuffer<Element> {
  typealias Input = Element
  typealias Closed = ClosedWindow<State.Key, Element>
  typealias Output = WindowOutput<State.Key, Element>

  /// The time that the elements have themselves, instead of the host's, and the watermark that goes over to the next run.
  struct EventTime: Sendable {
    let time: @Sendable (Element) throws -> Instant
    let lateness: Duration
    let watermark: any StoredCell<Instant>
  }

  private(set) var state: State
  private(set) var watermark: Instant
  /// The latest time of a restored element.
  private var latestStored = Instant(nanoseconds: .min)
  /// Whether the run begins with windows of a clock that was far ahead.
  private var isAhead = false
  private let shape: WindowShape
  private let maxKeys: Int
  private let maxElements: Int
  private let key: @Sendable (Element) throws -> State.Key
  private let eventTime: EventTime?
  /// Folds an element into the one that stands for its part of time; nil where all are kept.
  private let fold: (@Sendable (Element?, Element) throws -> Element)?
  private var deadlines = Deadlines<State.Key>()

  init(
    state: State, shape: WindowShape, maxKeys: Int, maxElements: Int,
    by key: @escaping @Sendable (Element) throws -> State.Key, at eventTime: EventTime? = nil,
    folding fold: (@Sendable (Element?, Element) throws -> Element)? = nil
  ) {
    self.state = state
    watermark = eventTime?.watermark.value ?? Instant(nanoseconds: .min)
    self.shape = shape
    self.maxKeys = maxKeys
    self.maxElements = maxElements
    self.key = key
    self.eventTime = eventTime
    self.fold = fold
    var ends: [(State.Key, Instant)] = []
    state.forEach { key, buffer in
      ends.append((key, buffer.end))
      if let last = buffer.entries.last { latestStored = max(latestStored, last.time) }
    }
    for (key, end) in ends { deadlines.set(end, for: key) }
  }

  /// The end of the next window to close; at once where the clock was set back.
  var nextDeadline: Instant? {
    mutating get {
      if eventTime != nil { return nil }
      return isAhead ? Instant(nanoseconds: .min) : deadlines.earliest
    }
  }

  /// The number of elements in open windows.
  var waiting: Int {
    var count = 0
    state.forEach { count += $1.entries.count }
    return count
  }

  mutating func start(_ host: some MachineHost<Output>) { isAhead = isFarAhead(of: host.now) }

  mutating func take(_ element: Element, _ host: some MachineHost<Output>) throws {
    let key = try key(element)
    let time: Instant
    if let eventTime {
      time = try eventTime.time(element)
      watermark = max(watermark, time - eventTime.lateness)
      eventTime.watermark.set(watermark)
      close(host)
    } else {
      wake(host)
      time = watermark
    }
    if let dropped = try add(element, for: key, at: time) { return host.emit(dropped) }
    closeExcess(host)
  }

  mutating func wake(_ host: some MachineHost<Output>) {
    let now = host.now
    isAhead = false
    if isFarAhead(of: now) {
      // Windows that began while the clock was far ahead would stay open until it gets there again.
      flush(host)
      (watermark, latestStored) = (now, now)
    }
    watermark = max(watermark, now)
    close(host)
  }

  mutating func flush(_ host: some MachineHost<Output>) {
    watermark = .distantFuture
    close(host)
  }

  /// Whether the clock was set back to `time` by more than the length of a window.
  ///
  /// After a smaller step, an open window closes after at most two window lengths.
  private func isFarAhead(of time: Instant) -> Bool {
    eventTime == nil && max(watermark, latestStored) > time + shape.longest
  }

  /// Emits the windows that end before the watermark.
  private mutating func close(_ host: some MachineHost<Output>) {
    while let key = deadlines.popFirst(dueBy: watermark), var buffer = state.remove(key) {
      let window = takeFirst(key, &buffer)
      keep(buffer, key)
      host.emit(.closed(window))
    }
  }

  /// Adds an element to its window; returns why it was dropped instead, if it was.
  private mutating func add(_ element: Element, for key: State.Key, at time: Instant) throws -> Output? {
    if isLate(time) { return .late }
    if let fold { return try self.fold(element, for: key, at: time, fold) }
    if state.value(for: key)?.entries.count ?? 0 >= maxElements { return .full }
    // Removed from the state while it changes, so that it is uniquely owned and updated in place.
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
    return nil
  }

  /// Folds an element into the entry of its part of time, one for each part that windows have in common.
  private mutating func fold(
    _ element: Element, for key: State.Key, at time: Instant, _ fold: (Element?, Element) throws -> Element
  ) rethrows -> Output? {
    let part = part(of: time)
    let known = state.value(for: key)?.entries ?? []
    let place = known.partitioningIndex { $0.time >= part }
    let isThere = place < known.endIndex && known[place].time == part
    if !isThere, known.count >= maxElements { return .full }
    let element = try fold(isThere ? known[place].element : nil, element)
    var buffer = state.remove(key) ?? WindowBuffer()
    if isThere {
      buffer.entries[place].element = element
    } else {
      buffer.entries.insert((part, element), at: place)
    }
    findFirst(&buffer, after: watermark)
    keep(buffer, key)
    return nil
  }

  /// The beginning of the part of time that a time is in: no window begins or ends within one.
  private func part(of time: Instant) -> Instant {
    guard case .aligned(let size, let every) = shape else { return time }
    var (part, rest) = (every.nanoseconds, size.nanoseconds % every.nanoseconds)
    while rest > 0 { (part, rest) = (rest, part % rest) }
    let past = time.nanoseconds % part
    return time + .nanoseconds(past < 0 ? -past - part : -past)
  }

  /// Closes the windows of the least recently written key, if there are too many keys.
  private mutating func closeExcess(_ host: some MachineHost<Output>) {
    guard state.count > maxKeys, let oldest = state.oldest, var buffer = state.remove(oldest.key) else {
      return
    }
    deadlines.remove(oldest.key)
    while !buffer.entries.isEmpty { host.emit(.closed(takeFirst(oldest.key, &buffer))) }
  }

  private mutating func keep(_ buffer: WindowBuffer<Element>, _ key: State.Key) {
    if buffer.entries.isEmpty { return }
    state.set(buffer, for: key)
    deadlines.set(buffer.end, for: key)
  }

  private func isLate(_ time: Instant) -> Bool {
    // No window of a time ends before it.
    if time >= watermark { return false }
    return switch shape {
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
      // Near the largest representable time no other window follows.
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

  /// A copy, so that removed elements are freed.
  private func slice(
    _ entries: ArraySlice<(time: Instant, element: Element)>
  ) -> ArraySlice<(time: Instant, element: Element)> {
    Array(entries)[...]
  }

  /// Finds the first window that ends after `end`.
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

  /// Updates the first window after an element was appended.
  private func extendFirst(_ buffer: inout WindowBuffer<Element>) {
    guard let first = buffer.entries.first, let last = buffer.entries.last else { return }
    // Aligned windows that had closed are open again if the clock was set back before their ends.
    guard case .session(let gap, let longest) = shape, buffer.entries.count > 1 else {
      return findFirst(&buffer, after: watermark)
    }
    guard buffer.first == buffer.entries.count - 1, last.time < buffer.end else { return }
    buffer.first += 1
    buffer.end = min(last.time + gap, first.time + longest)
  }

  private func nextEnd(after time: Instant, _ size: Duration, _ every: Duration) -> Instant {
    let step = every.nanoseconds
    // Remainders first: the difference of two distant times may overflow.
    let sinceStep = time.nanoseconds % step
    let past = (sinceStep < 0 ? sinceStep + step : sinceStep) - size.nanoseconds % step
    return time + .nanoseconds(past < 0 ? -past : step - past)
  }
}

extension ArraySlice {
  /// The index of the first element for which the condition holds, given that all such elements are at the end.
  fileprivate func partitioningIndex(_ isLater: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isLater(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
