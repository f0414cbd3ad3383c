/// The admission rules of a mailbox, without its elements: who enters, who waits, when a delivery is due.
struct MailboxGate: Sendable {
  /// The verdict on an element.
  enum Answer {
    /// In, and a delivery is on its way already.
    case taken
    /// In, and the caller must ask for a delivery.
    case wake
    /// In, and the oldest goes.
    case displace
    /// Discarded, because the mailbox is full.
    case refused
    /// The stream must fail.
    case overflow
    /// Ask again when there is room.
    case full
    /// The receiver has gone: discard it.
    case closed

    var isTaken: Bool { self == .taken || self == .wake || self == .displace }
  }

  /// How many elements may be in over the limit until the next delivery.
  static var loanLimit: Int { 1024 }

  /// How long a task that sends, and cannot be suspended, waits without a delivery, before the stream fails.
  static var stallLimit: Duration { .seconds(1) }

  private let usualLimit: Int
  private var limit: Int
  private var terminal: Termination?
  private(set) var isScheduled = false
  private var isDelivering = false
  private var sleepers = 0
  /// The tasks that have put an element in over the limit, and go on when there is room.
  private var debtors: [any Pausing] = []
  private(set) var isClosed = false

  init(limit: Int) {
    self.limit = limit
    usualLimit = limit
  }

  @inline(__always)
  mutating func answer(whenHolding count: Int, _ overflow: Overflow) -> Answer {
    if isClosed || terminal != nil { return .closed }
    if count >= limit { return refusal(overflow) }
    if isScheduled { return .taken }
    isScheduled = true
    return .wake
  }

  /// How many of several elements get in at once, and whether the caller must ask for a delivery.
  mutating func answer(whenHolding count: Int, room wanted: Int) -> (taken: Int, wake: Bool) {
    let taken = isClosed || terminal != nil ? 0 : min(wanted, max(0, limit - count))
    if taken == 0 || isScheduled { return (taken, false) }
    isScheduled = true
    return (taken, true)
  }

  private func refusal(_ overflow: Overflow) -> Answer {
    switch overflow {
    case .block: .full
    case .dropOldest: .displace
    case .dropNewest: .refused
    case .fail: .overflow
    }
  }

  /// Notes the end of the stream; whether the caller must ask for a delivery.
  mutating func end(_ terminal: Termination) -> Bool {
    if isClosed || self.terminal != nil { return false }
    self.terminal = terminal
    defer { isScheduled = true }
    return !isScheduled
  }

  /// The senders that go on, since there is room again: so many elements are left.
  mutating func beginDelivery(leaving count: Int = 0) -> Waiting {
    isDelivering = true
    limit = usualLimit
    return takeWaiting(if: count < usualLimit)
  }

  private mutating func takeWaiting(if hasRoom: Bool) -> Waiting {
    defer { sleepers = 0 }
    if !hasRoom || debtors.isEmpty { return Waiting(sleepers: sleepers, debtors: []) }
    defer { debtors = [] }
    return Waiting(sleepers: sleepers, debtors: debtors)
  }

  /// Pauses a delivery of what was there, with the proper delivery still to come.
  mutating func pauseDelivery() {
    isDelivering = false
  }

  /// Either there is more to deliver, or the end, or it is quiet.
  mutating func endDelivery(holding count: Int) -> (again: Bool, terminal: Termination?) {
    isDelivering = false
    if isClosed { return (false, nil) }
    if count > 0 { return (true, nil) }
    isScheduled = false
    isClosed = terminal != nil
    return (false, terminal)
  }

  /// Whether the caller, who is the receiver itself, is in the middle of a delivery; one more then gets in.
  mutating func goesOverLimit() -> Bool {
    if isDelivering { limit += 1 }
    return isDelivering
  }

  /// Lets one more in over the limit, from a task that waits afterwards.
  mutating func lends() -> Bool {
    if limit >= usualLimit + Self.loanLimit { return false }
    limit += 1
    return true
  }

  /// Keeps what is to go on when there is room; false if there is.
  mutating func keeps(_ debtor: any Pausing, holding count: Int) -> Bool {
    if isClosed || count < usualLimit { return false }
    debtors.append(debtor)
    return true
  }

  /// Lets more in until the next delivery; false if that many get in already.
  mutating func widen(to limit: Int) -> Bool {
    if self.limit >= limit { return false }
    self.limit = limit
    return true
  }

  /// Whether a sender has reason to sleep still; if so it is counted, and will be woken.
  mutating func sleeps(holding count: Int) -> Bool {
    if isClosed || terminal != nil || count < limit { return false }
    sleepers += 1
    return true
  }

  /// Ends it all; the senders go on.
  mutating func close() -> Waiting {
    isClosed = true
    terminal = nil
    return takeWaiting(if: true)
  }

  /// The senders that wait for room: threads asleep, and tasks that are suspended.
  struct Waiting: Sendable {
    let sleepers: Int
    let debtors: [any Pausing]

    /// Lets them go on; without a lock held.
    func go(by bell: Bell) {
      for _ in 0..<sleepers { bell.ring() }
      for debtor in debtors { debtor.goOn() }
    }
  }
}
