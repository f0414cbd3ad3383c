/// An element in a line, and when it came.
@usableFromInline package struct Waiting<Element: Sendable>: Sendable {
  @usableFromInline package let element: Element
  @usableFromInline package let since: Instant

  @inlinable package init(element: Element, since: Instant) { (self.element, self.since) = (element, since) }
}

/// The pace of a line: when its first element may leave.
@usableFromInline package protocol Pace: Sendable {
  /// Whether an element that only marks a place among others leaves as soon as it is the first.
  var isFreeForMarks: Bool { get }

  /// When the first element may leave, which came at `since`.
  func due(since: Instant) -> Instant

  /// When the end of the stream may follow, which comes now.
  func end(at now: Instant) -> Instant

  /// Notes an element that leaves.
  mutating func pass(at now: Instant)
}

/// The answer of a full line to one element more.
@usableFromInline package enum WhenFull: Sendable {
  /// The stream fails; the text is the name of the operator.
  case fail(String)
  /// The element that has waited longest leaves before its time.
  case sendOldest
  case dropOldest
  case dropNewest
}

/// The state machine of `delay` and `rateLimit`: a line that elements leave in order, each when its time has come.
///
/// Inlinable for the same reason as `MemoryState`.
@usableFromInline
package struct LineMachine<Rule: Pace, Element: Sendable, Copy: StoredQueue<Waiting<Element>>>: Machine {
  @usableFromInline package typealias Input = Element
  @usableFromInline package typealias Output = Element

  @usableFromInline var pace: Rule
  @usableFromInline var line = Queue<Waiting<Element>>()
  @usableFromInline var copy: Copy
  @usableFromInline let bound: Int
  @usableFromInline let whenFull: WhenFull
  @usableFromInline let isMark: (@Sendable (Element) -> Bool)?

  /// Marks, such as the end of a poll, are never dropped.
  @inlinable package init(
    _ pace: Rule, bound: Int, whenFull: WhenFull, copy: Copy, isMark: (@Sendable (Element) -> Bool)? = nil
  ) {
    self.pace = pace
    self.bound = bound
    self.whenFull = whenFull
    self.copy = copy
    self.isMark = isMark
  }

  @inlinable package var nextDeadline: Instant? { line.first.map { pace.due(since: $0.since) } }
  @inlinable package var waiting: Int { line.elements.count { !marks($0.element) } }

  @inlinable package mutating func start(_ host: some MachineHost<Element>) {
    for waiting in copy.waiting { line.append(waiting) }
    wake(host)
  }

  @inlinable package mutating func take(_ element: Element, _ host: some MachineHost<Element>) throws {
    if !line.isEmpty { wake(host) }  // makes room
    let now = host.now
    let new = Waiting(element: element, since: now)
    if line.isEmpty, isDue(new, now) { return leave(element, now, host) }
    if line.count >= bound, try !makeRoom(for: element, host) { return }
    line.append(new)
    copy.append(new)
    if line.count == 1 { wake(host) }
  }

  @inlinable package mutating func wake(_ host: some MachineHost<Element>) {
    while let first = line.first, isDue(first, host.now) { leaveFirst(host) }
  }

  @inlinable package mutating func flush(_ host: some MachineHost<Element>) {
    while !line.isEmpty { leaveFirst(host) }
  }

  @inlinable package func end(at now: Instant) -> Instant? { pace.end(at: now) }

  @inlinable func marks(_ element: Element) -> Bool { isMark?(element) ?? false }

  @inlinable func isFree(_ element: Element) -> Bool { pace.isFreeForMarks && marks(element) }

  @inlinable func isDue(_ waiting: Waiting<Element>, _ now: Instant) -> Bool {
    isFree(waiting.element) || pace.due(since: waiting.since) <= now
  }

  @inlinable mutating func leaveFirst(_ host: some MachineHost<Element>) {
    guard let first = line.popFirst() else { return }
    copy.removeFirst()
    leave(first.element, host.now, host)
  }

  @inlinable mutating func leave(_ element: Element, _ now: Instant, _ host: some MachineHost<Element>) {
    if !isFree(element) { pace.pass(at: now) }
    host.emit(element)
  }

  /// Makes room for one element more; false if there is none for it.
  @inlinable mutating func makeRoom(for element: Element, _ host: some MachineHost<Element>) throws -> Bool {
    switch whenFull {
    case .fail(let name): throw ReactiveError.overflow(what: "the backlog of \(name)", limit: bound)
    case .sendOldest:
      host.note(.early, beyond: bound)
      leaveFirst(host)
    case .dropOldest:
      while let first = line.first, marks(first.element) { leaveFirst(host) }
      if line.popFirst() == nil { return true }
      copy.removeFirst()
      host.note(.droppedOldest, beyond: bound)
      wake(host)  // a mark may be the first now
    case .dropNewest:
      host.note(.droppedNewest, beyond: bound)
      if !marks(element) { return false }
      dropNewest()
    }
    return true
  }

  /// Drops the element that came last, for the sake of a mark.
  @inlinable mutating func dropNewest() {
    var kept = line.elements
    guard let index = kept.lastIndex(where: { !marks($0.element) }) else { return }
    kept.remove(at: index)
    line = Queue()
    copy.removeAll()
    for waiting in kept {
      line.append(waiting)
      copy.append(waiting)
    }
  }
}
