import Reactive

/// How often a stream that is not available is probed.
private let probeInterval = Duration.milliseconds(250)

/// The messages of a sink on their way to a stream: published in order, at most so many without an acknowledgement.
///
///     var window = PublishWindow<String>(size: 256)
///     window.append("a")
///     window.publish(at: now) { number, message in … }  // number 0
///     window.acknowledge(0)
///     window.removeDone()                               // ["a"]
///
/// A message without an answer is published again, under the same number, before those that were not published yet. A
/// later one may have been stored before it, so order is kept for certain only with a size of one.
///
/// While it pauses because the stream is not available, one message at a time is published as a probe, which is no
/// attempt: a stream whose leader died has another within seconds, and a back-off may have grown longer by then.
struct PublishWindow<Message> {
  private enum Phase { case waiting, published(Instant), done }

  private struct Slot {
    let message: Message
    var phase = Phase.waiting
    var attempts = 0
  }

  private let size: Int
  /// The first `head` slots are gone.
  private var slots: [Slot] = []
  private var head = 0
  /// The number of the first slot in the list.
  private var base: UInt64 = 0
  /// No slot before it is waiting.
  private var cursor = 0
  /// How many are published and have no answer.
  private(set) var unanswered = 0
  /// The end of the present pause.
  private(set) var pause = Instant()
  /// When the next probe is published; nil for none.
  private(set) var nextProbe: Instant?
  /// The number of the probe that has no answer.
  private var probe: UInt64?

  init(size: Int) { self.size = size }

  /// How many messages are not done.
  var count: Int { slots.count - head }
  var isEmpty: Bool { count == 0 }
  var hasWaiting: Bool { cursor < slots.count }

  mutating func append(_ message: Message) { slots.append(Slot(message: message)) }

  /// Publishes what may be published now, until `body` returns false because that is not possible at all.
  mutating func publish(at now: Instant, _ body: (UInt64, Message) -> Bool) {
    guard now >= pause else { return publishProbe(at: now, body) }
    while unanswered < size, cursor < slots.count {
      if case .waiting = slots[cursor].phase, !publish(cursor, at: now, body) { return }
      cursor += 1
    }
  }

  private mutating func publish(_ place: Int, at now: Instant, _ body: (UInt64, Message) -> Bool) -> Bool {
    guard body(base + UInt64(place), slots[place].message) else { return false }
    slots[place].phase = .published(now)
    unanswered += 1
    return true
  }

  private mutating func publishProbe(at now: Instant, _ body: (UInt64, Message) -> Bool) {
    guard probe == nil, unanswered < size, let time = nextProbe, now >= time else { return }
    nextProbe = now + probeInterval
    // One that has failed: others may be for another stream, which is available.
    let first = slots[cursor...].firstIndex { slot in
      if case .waiting = slot.phase { slot.attempts > 0 } else { false }
    }
    if let first, publish(first, at: now, body) { probe = base + UInt64(first) }
  }

  /// A message is stored; nil for one that was done.
  @discardableResult
  mutating func acknowledge(_ number: UInt64) -> Message? {
    if number == probe { resume() }
    guard let place = place(of: number) else { return nil }
    close(place)
    return slots[place].message
  }

  /// Nothing is published until that time, except for probes if the stream is not available.
  mutating func pause(until time: Instant, at now: Instant, isUnavailable: Bool) {
    pause = max(pause, time)
    nextProbe = isUnavailable ? now + probeInterval : nil
  }

  /// Nothing is waited for any more.
  mutating func resume() { (pause, nextProbe, probe) = (Instant(), nil, nil) }

  /// A probe that was not stored waits again, and has not failed; false for any other message.
  mutating func failProbe(_ number: UInt64) -> Bool {
    guard number == probe else { return false }
    probe = nil
    if let place = place(of: number) { release(place) }
    return true
  }

  /// An attempt has failed: the message and its attempts so far; nil for one that is done.
  mutating func fail(_ number: UInt64) -> (message: Message, attempts: Int)? {
    if number == probe { probe = nil }
    guard let place = place(of: number) else { return nil }
    slots[place].attempts += 1
    release(place)
    return (slots[place].message, slots[place].attempts)
  }

  /// Gives a message up.
  mutating func discard(_ number: UInt64) {
    if let place = place(of: number) { close(place) }
  }

  /// The connection is lost: whatever has no answer waits again, and has not failed.
  mutating func releaseAll() {
    probe = nil
    for place in head..<slots.count { release(place) }
  }

  /// The numbers of messages that were published before a time and have no answer.
  func overdue(before time: Instant) -> [UInt64] {
    (head..<min(cursor, slots.count)).compactMap { place in
      if case .published(let at) = slots[place].phase, at < time { base + UInt64(place) } else { nil }
    }
  }

  /// Removes the messages at the front that are done; the last of them.
  mutating func removeDone() -> Message? {
    var last: Message?
    while head < slots.count, case .done = slots[head].phase {
      last = slots[head].message
      head += 1
    }
    cursor = max(cursor, head)
    // Moved rarely, so that the cost per message is constant.
    if head > 1024, head * 2 > slots.count || head == slots.count {
      slots.removeFirst(head)
      base += UInt64(head)
      cursor -= head
      head = 0
    }
    return last
  }

  /// Removes everything that is not done, in order.
  mutating func removeAll() -> [Message] {
    let left = slots[head...].filter { if case .done = $0.phase { false } else { true } }.map(\.message)
    base += UInt64(slots.count)
    (slots, head, cursor, unanswered) = ([], 0, 0, 0)
    return left
  }

  private func place(of number: UInt64) -> Int? {
    guard number >= base else { return nil }
    let place = Int(number - base)
    guard place >= head, place < slots.count else { return nil }
    if case .done = slots[place].phase { return nil }
    return place
  }

  private mutating func release(_ place: Int) {
    if case .published = slots[place].phase {
      slots[place].phase = .waiting
      unanswered -= 1
    }
    if case .waiting = slots[place].phase { cursor = min(cursor, place) }
  }

  private mutating func close(_ place: Int) {
    if case .published = slots[place].phase { unanswered -= 1 }
    slots[place].phase = .done
  }
}
