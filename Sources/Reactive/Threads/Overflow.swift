import Synchronization

/// The policy of a full mailbox for one more element.
public enum Overflow: String, Sendable, CaseIterable {
  /// The sender waits for room: it is slowed down to the receiver's speed, and nothing is lost.
  case block
  /// The element that has waited longest makes room.
  case dropOldest
  /// The new element is let go.
  case dropNewest
  /// The stream fails with `ReactiveError.overflow`, after what is already in the mailbox.
  case fail
}

/// The counters of a mailbox, to be read at any time from any thread.
public final class MailboxCounters: Sendable {
  private let accepted = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)
  private let waits = Atomic<Int>(0)

  /// Makes counters that start at zero.
  public init() {}

  /// Elements that were put in, those dropped later included.
  public var acceptedCount: Int { accepted.load(ordering: .relaxed) }
  /// Elements lost to the overflow policy.
  public var droppedCount: Int { dropped.load(ordering: .relaxed) }
  /// How often a sender had to wait for room.
  public var waitCount: Int { waits.load(ordering: .relaxed) }

  func count(accepted number: Int) {
    if number > 0 { accepted.add(number, ordering: .relaxed) }
  }

  func count(_ answer: MailboxGate.Answer) {
    if answer.isTaken { accepted.add(1, ordering: .relaxed) }
    switch answer {
    case .displace, .refused, .overflow: dropped.add(1, ordering: .relaxed)
    case .full: waits.add(1, ordering: .relaxed)
    case .taken, .wake, .closed: break
    }
  }
}
