/// The elements of one key, as a stream.
public final class Group<Key: Hashable & Sendable, Element: Sendable>: Observable<Element>,
  @unchecked Sendable
{
  /// What these elements have in common.
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
  public func group<Key: Hashable & Sendable>(
    limit: Int = 1024, completesOldest: Bool = false,
    by key: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<Group<Key, Element>> {
    Observable<Group<Key, Element>> { [self] downstream, subscription in
      attach(GroupObserver(downstream, subscription, limit, completesOldest, key), in: subscription)
    }
  }
}

private final class GroupObserver<Element: Sendable, Key: Hashable & Sendable>: HoldingStage {
  let downstream: any Observer<Group<Key, Element>>
  let subscription: Subscription
  private let limit: Int
  private let completesOldest: Bool
  private let key: @Sendable (Element) throws -> Key
  let turn = Serializer(MemoryState<Key, Broadcast<Element>>())

  init(
    _ downstream: any Observer<Group<Key, Element>>, _ subscription: Subscription, _ limit: Int,
    _ completesOldest: Bool, _ key: @escaping @Sendable (Element) throws -> Key
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.limit = max(1, limit)
    self.completesOldest = completesOldest
    self.key = key
    subscription.onDispose { [weak self] in
      if let self { turn.pass { [self] in close(.completed) } }
    }
  }

  /// The source has been released without an end: nothing can come any more.
  deinit {
    close(.completed)
  }

  func accept(_ value: Element) {
    let key: Key
    do { key = try self.key(value) } catch {
      close(.failed(error))
      return downstream.fail(error)
    }
    if let group = turn.state.value(for: key) {
      turn.state.set(group, for: key)  // now the newest
      return group.next(value)
    }
    if turn.state.count >= limit, let oldest = turn.state.oldest {
      guard completesOldest else {
        let failure = ReactiveError.overflow(what: "the list of groups", limit: limit)
        close(.failed(failure))
        return downstream.fail(failure)
      }
      turn.state.remove(oldest.key)?.complete()
    }
    let group = Broadcast<Element>()
    turn.state.set(group, for: key)
    downstream.next(Group(key, group))
    group.next(value)
  }

  func close(_ termination: Termination) {
    while let oldest = turn.state.oldest {
      turn.state.remove(oldest.key)
      termination.deliver(to: oldest.value)
    }
  }
}
