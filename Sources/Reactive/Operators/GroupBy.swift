/// The elements of one key, as a stream.
public final class Group<Key: Hashable & Sendable, Element: Sendable>: Observable<Element>,
  @unchecked Sendable
{
  /// The key that these elements share.
  public let key: Key

  fileprivate init(_ key: Key, _ elements: Broadcast<Element>) {
    self.key = key
    super.init(attaching: { observer, subscription in elements.attach(observer, in: subscription) })
  }
}

extension Observable {
  /// Sorts the elements into a stream for each key.
  ///
  ///     a--b--c--|
  ///     x--y-----|   group { $0.key }   x emits a and c, which have one key, y emits b
  ///
  /// At most `limit` groups are open: one more is a failure, or, where `completesOldest` is asked for, completes the
  /// group that has been without an element longest; a later element of its key then opens it anew. Elements are not
  /// kept: subscribe to a group when it comes. Groups that are open when the subscription ends complete.
  /// ```
  /// Observable.from(1...4).group { $0 % 2 }.flatMap { $0.takeLast(1) }  // 3, 4, |
  /// ```
  @inlinable
  public func group<Key: Hashable & Sendable>(
    limit: Int = 1024, completesOldest: Bool = false,
    by key: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<Group<Key, Element>> {
    groups(limit, completesOldest) { GroupTable(by: key) }
  }

  @usableFromInline
  func groups<Key: Hashable & Sendable>(
    _ limit: Int, _ completesOldest: Bool, _ table: @escaping @Sendable () -> GroupTable<Key, Element>
  ) -> Observable<Group<Key, Element>> {
    Observable<Group<Key, Element>> { [self] downstream, subscription in
      let observer = GroupObserver(downstream, subscription, limit, completesOldest, table())
      attach(observer, in: subscription.withoutRoom)
    }
  }
}

/// The open groups by their keys, in calls that are compiled for the type of the key.
@usableFromInline struct GroupTable<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  /// The group of an element, which is the newest then.
  @usableFromInline let find: @Sendable (Element) throws -> Broadcast<Element>?
  /// Opens a group for the element for which there was none, and returns its key.
  @usableFromInline let open: @Sendable (Broadcast<Element>) -> Key
  @usableFromInline let takeOldest: @Sendable () -> Broadcast<Element>?

  @inlinable init(by key: @escaping @Sendable (Element) throws -> Key) {
    let groups = Unguarded(MemoryState<Key, Broadcast<Element>>())
    let missing = Unguarded<Key>()
    find = { element in
      let key = try key(element)
      guard let group = groups.value.value(for: key) else {
        missing.fill(key)
        return nil
      }
      groups.value.set(group, for: key)
      return group
    }
    open = { group in
      groups.value.set(group, for: missing.value)
      return missing.value
    }
    takeOldest = { groups.value.removeOldest()?.value }
  }
}

private final class GroupObserver<Element: Sendable, Key: Hashable & Sendable>: HoldingStage {
  let downstream: any Observer<Group<Key, Element>>
  let subscription: Subscription
  private let limit: Int
  private let completesOldest: Bool
  private let table: GroupTable<Key, Element>
  let serializer: GroupCloser<Element>

  init(
    _ downstream: any Observer<Group<Key, Element>>, _ subscription: Subscription, _ limit: Int,
    _ completesOldest: Bool, _ table: GroupTable<Key, Element>
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.limit = max(1, limit)
    self.completesOldest = completesOldest
    self.table = table
    serializer = GroupCloser(table.takeOldest)
    subscription.onDispose(serializer, 0)
  }

  /// The source has been released without an end: nothing can come any more.
  deinit {
    // The thread that ends the subscription may be at the same.
    serializer.tearDown(0)
  }

  func accept(_ value: Element) {
    do {
      if let group = try table.find(value) { return group.next(value) }
      if serializer.count == limit {
        if !completesOldest { throw ReactiveError.overflow(what: "the list of groups", limit: limit) }
        serializer.takeOldest()?.complete()
      }
    } catch {
      close(.failed(error))
      return downstream.fail(error)
    }
    // What is opened now would be closed by nothing.
    if subscription.isDisposed { return }
    let group = Broadcast<Element>()
    serializer.count += 1
    downstream.next(Group(table.open(group), group))
    group.next(value)
  }

  func close(_ termination: Termination) { serializer.close(termination) }
}

/// The serializer of those who group, with the open groups, which complete when the subscription ends.
///
/// The subscription holds this, not the observer; when that is released, so are the groups.
private final class GroupCloser<Element: Sendable>: DrainLoop, TeardownTarget, @unchecked Sendable {
  /// How many groups are open: only inside the serializer.
  var count = 0
  private let oldest: @Sendable () -> Broadcast<Element>?

  init(_ oldest: @escaping @Sendable () -> Broadcast<Element>?) {
    self.oldest = oldest
  }

  func takeOldest() -> Broadcast<Element>? {
    let group = oldest()
    if group != nil { count -= 1 }
    return group
  }

  func close(_ termination: Termination) {
    while let group = takeOldest() { termination.deliver(to: group) }
  }

  func tearDown(_: Int) {
    pass { [self] in close(.completed) }
  }
}
