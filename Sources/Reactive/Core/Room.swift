import Synchronization

/// The room before a receiver that works at its own pace: a loop over `values`, tasks that turn elements into others.
///
/// It goes up the chain with the subscription. A source that can pause, such as a sequence at hand, asks it before each
/// element; without room it leaves in the line what is to go on, and holds no thread meanwhile. Who makes room lets it go
/// on, on the own thread. A source that cannot pause sends all the same: what the receiver does then is for its limits.
@usableFromInline final class Room: TeardownTarget {
  private let free: Atomic<Int>
  private let line = Locked(Queue<any Pausing>())
  /// Whether the line may hold one, so that making room takes no lock.
  private let hasLine = Atomic<Bool>(false)
  private let limit: Int
  /// The room that comes after this one, down the chain: without room there, there is none here.
  private let next: Room?
  /// The operator of which it is to be reported that elements wait, until it has been.
  private let name: Locked<StaticString?>

  init(_ limit: Int, before next: Room? = nil, reportedFor name: StaticString? = nil) {
    free = Atomic(limit)
    self.limit = limit
    self.next = next
    self.name = Locked(name)
  }

  var isFull: Bool {
    if isTaken { return true }
    return next?.isFull ?? false
  }

  private var isTaken: Bool { free.load(ordering: .sequentiallyConsistent) <= 0 }

  /// Notes an element that has come, on the sender's thread: it is to see at once that there is no more room.
  func occupy() { free.subtract(1, ordering: .acquiringAndReleasing) }

  /// Notes an element that has gone; `serve` is due when no lock is held and no serializer.
  func vacate() { free.add(1, ordering: .sequentiallyConsistent) }

  /// Reports that elements wait, the first time.
  func report() {
    guard let name = name.withLock({ $0.take() }) else { return }
    Diagnostics.report(.waiting(in: "\(name)", limit: limit))
  }

  /// Puts what pauses into the line, unless there is room by now.
  func wait(_ sender: any Pausing) -> Bool {
    if isTaken { report() }
    let waits = line.withLock { line in
      // First this, then the look: either `serve` finds the line, or this finds the room.
      hasLine.store(true, ordering: .sequentiallyConsistent)
      guard isTaken else {
        if line.isEmpty { hasLine.store(false, ordering: .sequentiallyConsistent) }
        return false
      }
      line.append(sender)
      return true
    }
    return waits || next.map { $0.wait(sender) } ?? false
  }

  /// Lets those in the line go on as long as there is room; whether anyone has.
  @discardableResult
  func serve() -> Bool {
    var hasServed = false
    while hasLine.load(ordering: .sequentiallyConsistent), !isTaken, let sender = takeFirst() {
      sender.goOn()
      hasServed = true
    }
    return hasServed
  }

  private func takeFirst() -> (any Pausing)? {
    line.withLock { line in
      defer { if line.isEmpty { hasLine.store(false, ordering: .sequentiallyConsistent) } }
      return line.popFirst()
    }
  }

  /// Removes those from the line whose subscription is over: it holds them, and they hold what it belongs to.
  package func tearDown(_: Int) {
    var dropped = Queue<any Pausing>()  // released outside the lock: their deinit may run any code
    line.withLock { line in
      swap(&line, &dropped)
      for sender in dropped.elements where !sender.isDisposed { line.append(sender) }
      if line.isEmpty { hasLine.store(false, ordering: .sequentiallyConsistent) }
    }
    next?.tearDown(0)
  }

  /// Releases those in the line, whose subscription is over.
  func close() {
    var dropped = Queue<any Pausing>()
    line.withLock { swap(&$0, &dropped) }
  }
}

/// A sender that has paused, and goes on when there is room.
protocol Pausing: AnyObject, Sendable {
  /// Whether it need not go on any more.
  var isDisposed: Bool { get }
  func goOn()
}

/// A sequence at hand that is sent as far as there is room.
///
/// `@unchecked Sendable` with its reason: the thread that finds no room leaves it in the line, under the lock of which the
/// next one takes it out.
@usableFromInline
final class PausingSource<Iterator: IteratorProtocol>: Pausing, @unchecked Sendable
where Iterator.Element: Sendable {
  @exclusivity(unchecked) private var iterator: Iterator
  private let observer: any Observer<Iterator.Element>
  private let subscription: Subscription
  private let room: Room
  private var hasPaused = false

  @usableFromInline init(
    _ iterator: consuming Iterator, _ observer: any Observer<Iterator.Element>,
    _ subscription: Subscription,
    _ room: Room
  ) {
    self.iterator = iterator
    self.observer = observer
    self.subscription = subscription
    self.room = room
  }

  @usableFromInline var isDisposed: Bool { subscription.isDisposed }

  @usableFromInline func goOn() {
    while !subscription.isDisposed {
      if room.isFull {
        if waits() { return }
        continue
      }
      guard let element = iterator.next() else { return observer.complete() }
      observer.next(element)
    }
  }

  private func waits() -> Bool {
    if !hasPaused {
      hasPaused = true
      subscription.onDispose(room, 0)
    }
    if !room.wait(self) { return false }
    // The end may have come between these two.
    if subscription.isDisposed { room.tearDown(0) }
    return true
  }
}
