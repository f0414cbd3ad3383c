/// A silence, for the next run.
@usableFromInline package struct Silence: Sendable {
  /// When the last element came before it; nil for none.
  @usableFromInline package var since: Instant?

  @inlinable package init(since: Instant?) { self.since = since }
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
    let since = stored.value?.since
    last = since ?? host.now
    look = since == nil ? last + limit : nil
  }

  @inlinable package mutating func take(_ element: Element, _ host: some MachineHost<Output>) {
    if counts(element) {
      let now = host.now
      if look == nil {
        stored.set(nil)
        if let back = back(element, last) { host.emit(back) }
        look = now + limit
      }
      last = now
    }
    host.emit(output(element))
  }

  @inlinable package mutating func wake(_ host: some MachineHost<Output>) throws {
    let now = host.now
    guard let due = look, due <= now else { return }
    let end = last + limit
    look = end > now ? end : nil
    if look != nil { return }
    stored.set(Silence(since: last))
    host.emit(try silent(last))
  }
}
