extension Observable {
  /// Joins the first elements of several streams of any types, then the second ones, and so on.
  ///
  ///     a--b-----c--|
  ///     -1-----2----|
  ///     --*-----*---|
  ///     --x-----y---|   zip(letters, digits, marks) { … }   x = a1*, y = b2*
  ///
  /// Completes when all have; what a source emits after another has ended is discarded, once that has nothing left.
  /// A source may be ahead by `backlog` elements; more is a failure.
  /// ```
  /// Observable.zip(Observable.from([1, 2]), Observable.just("a"), Observable.just(2.5)) { "\($0)\($1)\($2)" }  // 1a2.5, |
  /// ```
  public static func zip<each Source: Sendable>(
    _ sources: repeat Observable<each Source>, backlog: Int = 65_536,
    transform: @escaping @Sendable (repeat each Source) throws -> Element
  ) -> Observable {
    // Here, so that a subscription need not look up the types of all sources.
    var inputs: [@Sendable (MixedZipper<Element>, Int) -> Void] = []
    for source in repeat each sources { inputs.append { $0.attach(source, $1) } }
    return Observable { [inputs] downstream, subscription in
      let zipper = MixedZipper(downstream, subscription, backlog, inputs.count) { lines, state in
        var index = 0
        return try transform(repeat takeFirst((each Source).self, of: lines, &index, &state))
      }
      var index = 0
      while index < inputs.count {
        inputs[index](zipper, index)
        index += 1
      }
    }
  }

  /// Joins the elements of several streams of any types into tuples, by their positions.
  ///
  /// ```
  /// Observable.zip(Observable.from([1, 2]), Observable.from([3, 4])).map { $0 * $1 }  // 3, 8, |
  /// ```
  public static func zip<each Source: Sendable>(
    _ sources: repeat Observable<each Source>, backlog: Int = 65_536
  ) -> Observable where Element == (repeat each Source) {
    zip(repeat each sources, backlog: backlog) { (value: repeat each Source) in (repeat each value) }
  }
}

private func takeFirst<Source: Sendable>(
  _ type: Source.Type, of lines: [AnyZipLine], _ index: inout Int, _ state: inout ZipState
) -> Source {
  defer { index += 1 }
  return known(lines[index], as: ZipLine<Source>.self).takeFirst(&state)
}

/// How many lines are empty; a tuple goes out when none is.
struct ZipState: Sendable {
  var empty: Int
  var open: Int
  /// Whether a source that has ended has nothing left, so that none of what comes goes out.
  var isSpent = false
}

/// A `ZipLine` without its type, which would have to be looked up each time in code that is not specialised.
///
/// `@unchecked Sendable` with its reason: it is used inside the serializer of its zip.
class AnyZipLine: @unchecked Sendable {
  /// Discards what waits, since nothing can be its partner.
  func discard() {}
}

/// The elements that one source is ahead of the others by.
///
/// The size of a buffer is that of its words, so its place need not be looked up.
final class ZipLine<Source: Sendable>: AnyZipLine, @unchecked Sendable {
  @exclusivity(unchecked) var waiting = RingBuffer<Source>(capacity: 0)
  @exclusivity(unchecked) var isOpen = true
  let room: Room?

  init(_ room: Room?) {
    self.room = room
  }

  /// Takes the first element; there must be one.
  func takeFirst(_ state: inout ZipState) -> Source {
    let first = waiting.removeFirst()
    room?.vacate()
    if waiting.isEmpty {
      state.empty += 1
      if !isOpen { state.isSpent = true }
    }
    return first
  }

  override func discard() {
    while waiting.popFirst({ _ in room?.vacate() }) {}
  }
}

private final class ZipInput<Source: Sendable, Output: Sendable>: Observer {
  private let child: Subscription
  private let zipper: MixedZipper<Output>
  private let line: ZipLine<Source>

  init(_ child: Subscription, _ zipper: MixedZipper<Output>, _ line: ZipLine<Source>) {
    self.child = child
    self.zipper = zipper
    self.line = line
  }

  func next(_ value: Source) {
    line.room?.occupy()
    zipper.turn(self, value) { $0.zipper.place($1, $0.line) }
    zipper.serve()
  }

  func fail(_ error: any Error) {
    if child.finish() { zipper.fail(error) }
  }

  func complete() {
    if child.finish() { zipper.complete(line) }
  }
}

final class MixedZipper<Output: Sendable>: SerializedOutput<Output>, @unchecked Sendable {
  /// Only inside the serializer.
  @exclusivity(unchecked) private var state: ZipState
  private let subscription: Subscription
  private let backlog: Int
  /// One for each source that has been attached: all of them, when the first tuple goes out.
  @exclusivity(unchecked) private var lines: [AnyZipLine] = []
  /// Where tasks take the tuples, the room of each, so that a sequence is no further ahead than need be.
  private let rooms: [Room]
  private let takeAll: @Sendable ([AnyZipLine], inout ZipState) throws -> Output

  init(
    _ downstream: any Observer<Output>, _ subscription: Subscription, _ backlog: Int, _ count: Int,
    _ takeAll: @escaping @Sendable ([AnyZipLine], inout ZipState) throws -> Output
  ) {
    self.subscription = subscription
    self.backlog = backlog
    lines.reserveCapacity(count)
    let next = subscription.room
    rooms = next == nil ? [] : (0..<count).map { _ in Room(min(64, backlog), before: next) }
    self.takeAll = takeAll
    state = ZipState(empty: count, open: count)
    super.init(downstream)
  }

  func attach<Source>(_ source: Observable<Source>, _ index: Int) {
    if subscription.isDisposed { return }
    let line = ZipLine<Source>(rooms.isEmpty ? nil : rooms[index])
    turn(self, line as AnyZipLine) { $0.lines.append($1) }
    let child = subscription.child(room: line.room)
    if !child.isDisposed { source.attach(ZipInput(child, self, line), in: child) }
  }

  /// Lets sources go on that are no longer ahead; outside the serializer.
  func serve() {
    var index = 0
    while index < rooms.count {
      rooms[index].serve()
      index += 1
    }
  }

  func complete<Source: Sendable>(_ line: ZipLine<Source>) {
    pass { [self] in close(line) }
    serve()
  }

  func place<Source>(_ value: Source, _ line: ZipLine<Source>) {
    if isOver || state.isSpent { return line.room?.vacate() ?? () }
    if line.waiting.count >= backlog {
      return end(.failed(ReactiveError.overflow(what: "the backlog of zip", limit: backlog)))
    }
    if line.waiting.isEmpty { state.empty -= 1 }
    line.waiting.append(value)
    if state.empty > 0 { return }
    emit { try takeAll(lines, &state) }
    discardIfSpent()
  }

  private func close<Source>(_ line: ZipLine<Source>) {
    line.isOpen = false
    if line.waiting.isEmpty { state.isSpent = true }
    discardIfSpent()
    state.open -= 1
    if state.open == 0 { end(.completed) }
  }

  private func discardIfSpent() {
    if state.isSpent { for line in lines { line.discard() } }
  }
}
