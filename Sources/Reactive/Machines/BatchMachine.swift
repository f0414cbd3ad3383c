/// The state machine of `buffer` and of batches: gathers elements until there are enough of them, or the first has
/// waited long enough.
///
/// Inlinable for the same reason as `MemoryState`.
@usableFromInline
package struct BatchMachine<Element: Sendable, Copy: StoredQueue<Element>, Since: StoredCell<Instant>>:
  Machine
{
  @usableFromInline package typealias Input = Element
  @usableFromInline package typealias Output = [Element]

  @usableFromInline let limit: Int
  @usableFromInline let isEarly: Bool
  @usableFromInline let time: Duration?
  @usableFromInline var gathered: [Element] = []
  @usableFromInline var copy: Copy
  @usableFromInline var since = Instant()
  @usableFromInline let storedSince: Since

  /// `isEarly` if a batch of `limit` elements is emitted for lack of room.
  @inlinable package init(
    limit: Int, isEarly: Bool = false, time: Duration? = nil, copy: Copy, since: Since
  ) {
    self.limit = max(1, limit)
    self.isEarly = isEarly
    self.time = time
    self.copy = copy
    storedSince = since
  }

  @inlinable package var nextDeadline: Instant? { gathered.isEmpty ? nil : time.map { since + $0 } }
  @inlinable package var waiting: Int { gathered.count }

  @inlinable package mutating func start(_ host: some MachineHost<[Element]>) {
    gathered = copy.waiting
    since = storedSince.value ?? host.now
  }

  @inlinable package mutating func take(_ element: Element, _ host: some MachineHost<[Element]>) {
    if gathered.isEmpty {
      // The clock is read for the first of a batch alone.
      since = host.now
      storedSince.set(since)
    }
    gathered.append(element)
    copy.append(element)
    guard gathered.count >= limit else { return }
    if isEarly { host.note(.early, beyond: limit) }
    flush(host)
  }

  @inlinable package mutating func wake(_ host: some MachineHost<[Element]>) {
    if let nextDeadline, nextDeadline <= host.now { flush(host) }
  }

  @inlinable package mutating func flush(_ host: some MachineHost<[Element]>) {
    if gathered.isEmpty { return }
    let batch = gathered
    gathered = []
    copy.removeAll()
    host.emit(batch)
  }
}

extension BatchMachine where Copy == NoStorage<Element>, Since == NoStorage<Instant> {
  @inlinable package init(limit: Int, time: Duration? = nil) {
    self.init(limit: limit, time: time, copy: NoStorage(), since: NoStorage())
  }
}
