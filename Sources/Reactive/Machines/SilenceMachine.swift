/// A silence, for the next run.
@usableFromInline package struct Silence: Sendable {
  /// When the last element came before it; nil for none.
  @usableFromInline package var since: Instant?
  /// How long it has lasted so far; nil where it was reported.
  @usableFromInline package var age: Duration?

  @inlinable package init(since: Instant?, age: Duration? = nil) { (self.since, self.age) = (since, age) }
}

/// The state machine of `timeout`: passes elements on, and detects silence.
///
/// Only elements that `counts` holds for end a silence. One that is stored goes on; the time between two runs is none.
///
/// Inlinable for the same reason as `MemoryState`.
@usableFromInline
package struct SilenceMachine<Element: Sendable, Output: Sendable, Stored: StoredCell<Silence>>: Machine {
  @usableFromInline package typealias Input = Element

  @usableFromInline let limit: Duration
  @usableFromInline let stored: Stored
  @usableFromInline let counts: @Sendable (Element) -> Bool
  @usableFromInline let output: @Sendable (Element) -> Output
  @usableFromInline let silent: @Sendable (Instant) throws -> Output
  @usableFromInline let back: @Sendable (Element, Instant) -> Output?
  @usableFromInline var last = Instant()
  /// When to look whether it is silent, which an element does not change; nil in a silence.
  @usableFromInline var look: Instant?
  /// When the run began; what it makes again after a kill comes before.
  @usableFromInline var started = Instant()
  /// The time without a run since the last element, which is no silence; nil for none.
  @usableFromInline var absence: Duration?

  /// `silent` makes the report of a silence, given its beginning, or throws; `back` that of its end, before the element.
  @inlinable package init(
    limit: Duration, stored: Stored, counting counts: @escaping @Sendable (Element) -> Bool,
    element output: @escaping @Sendable (Element) -> Output,
    silent: @escaping @Sendable (Instant) throws -> Output,
    back: @escaping @Sendable (Element, Instant) -> Output?
  ) {
    (self.limit, self.stored, self.counts) = (limit, stored, counts)
    (self.output, self.silent, self.back) = (output, silent, back)
  }

  @inlinable package var nextDeadline: Instant? { look }

  @inlinable package mutating func start(_ host: some MachineHost<Output>) {
    started = host.now
    let stored = stored.value
    last = stored?.since ?? started
    absence = stored?.age.map { started - last - $0 }
    look = stored?.since == nil || stored?.age != nil ? max(started, end) : nil
  }

  /// When the silence since the last element has lasted.
  @inlinable var end: Instant { last + limit + (absence ?? .zero) }

  @inlinable package mutating func take(_ element: Element, _ host: some MachineHost<Output>) {
    if counts(element) {
      let now = host.now
      let wasSilent = look == nil
      if wasSilent || absence != nil {
        stored.set(nil)
        absence = nil
      }
      if wasSilent, let back = back(element, last) { host.emit(back) }
      last = now
      if now < started { absence = started - now }
      if wasSilent { look = end }
    }
    host.emit(output(element))
  }

  @inlinable package mutating func wake(_ host: some MachineHost<Output>) throws {
    let now = host.now
    guard let due = look, due <= now else { return }
    let end = end
    look = end > now ? end : nil
    if look != nil { return }
    stored.set(Silence(since: last))
    host.emit(try silent(last))
  }

  @inlinable package func leave(at now: Instant) {
    if look != nil { stored.set(Silence(since: last, age: now - last - (absence ?? .zero))) }
  }
}
