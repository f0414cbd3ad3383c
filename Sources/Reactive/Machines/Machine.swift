/// The state machine of an operator, the same in programs and in pipelines.
///
/// It has no thread, lock, clock or timer: its host calls it, one call at a time, and hands in memory (`KeyedState`).
/// Programs have `MachineObserver` for a host, behind each operator with time; `flow` has one for its steps.
@usableFromInline package protocol Machine<Input, Output>: Sendable {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  /// When to call `wake`; nil while nothing waits for a time.
  var nextDeadline: Instant? { mutating get }

  /// How many elements are held back.
  var waiting: Int { get }

  /// The stream begins.
  mutating func start(_ host: some MachineHost<Output>)

  /// Takes an element.
  mutating func take(_ element: Input, _ host: some MachineHost<Output>) throws

  /// The deadline has come.
  mutating func wake(_ host: some MachineHost<Output>) throws

  /// Emits the elements that are held back, since the stream has ended.
  mutating func flush(_ host: some MachineHost<Output>)

  /// Stores what the next run goes on with, since this one ends.
  func leave(at now: Instant)

  /// When the end of a program's stream, which comes now, goes on at the earliest, behind all that waits; nil for at
  /// once, after `flush`.
  func end(at now: Instant) -> Instant?
}

extension Machine {
  @inlinable package var nextDeadline: Instant? { nil }
  @inlinable package var waiting: Int { 0 }
  @inlinable package func start(_ host: some MachineHost<Output>) {}
  @inlinable package func wake(_ host: some MachineHost<Output>) {}
  @inlinable package func flush(_ host: some MachineHost<Output>) {}
  @inlinable package func leave(at now: Instant) {}
  @inlinable package func end(at now: Instant) -> Instant? { nil }
}

/// The host of a machine: has the time, and takes the outputs.
@usableFromInline package protocol MachineHost<Output> {
  associatedtype Output: Sendable

  var now: Instant { get }

  func emit(_ output: Output)

  /// Notes what the machine did with more than it may hold.
  func note(_ excess: Excess, beyond bound: Int)
}

/// The fate of more than a machine may hold.
@usableFromInline package enum Excess: Sendable {
  /// The key that was written longest ago is forgotten.
  case forgotten
  /// The element that waits longest is emitted before its time.
  case early
  case droppedOldest
  case droppedNewest
}

/// The key of an operator that has been given none.
@usableFromInline struct OneKey: Hashable, Sendable {
  @inlinable init() {}
}
