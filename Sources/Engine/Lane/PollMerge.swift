import Reactive

extension Observable where Element == Event {
  /// Merges streams through which polls of the same source come by more than one way: a poll ends once, when it has
  /// ended on all of its ways.
  ///
  ///     low:   a-|            from the same poll
  ///     high:  ---b--|
  ///     a------b-----|
  static func merge(aligningPollsOf ways: [(events: Observable, sources: Set<String>)]) -> Observable {
    Observable { downstream, subscription in
      let merge = PollMerge(ways.map(\.sources), to: downstream)
      for (number, way) in ways.enumerated() {
        if subscription.isDisposed { return }
        let child = subscription.child()
        way.events.attach(Way(number, into: merge, in: child), in: child)
      }
    }
  }
}

/// The state of an aligned merge: which polls have ended on which ways.
private final class PollMerge: Sendable {
  private struct State {
    /// The sources that each way may bring polls of; none once it has ended.
    var ways: [Set<String>]
    var open: Int
    /// Polls that have not ended on all of their ways, and those on which they have.
    var ending: [(poll: Poll, on: Set<Int>)] = []
  }

  let downstream: any Observer<Event>
  private let state: LaneLocal<State>

  init(_ ways: [Set<String>], to downstream: any Observer<Event>) {
    self.downstream = downstream
    state = LaneLocal(State(ways: ways, open: ways.count))
  }

  func end(_ poll: Poll, on way: Int) {
    if let place = state.value.ending.firstIndex(where: { $0.poll === poll }) {
      state.value.ending[place].on.insert(way)
    } else {
      state.value.ending.append((poll, [way]))
    }
    sendComplete()
  }

  func complete(_ way: Int) {
    state.value.ways[way] = []
    state.value.open -= 1
    sendComplete()
    if state.value.open == 0 { downstream.complete() }
  }

  /// Sends the ends of polls that have come by all ways, in order: with one, those of the same source before it.
  private func sendComplete() {
    while let complete = state.value.ending.first(where: isComplete)?.poll,
      let place = state.value.ending.firstIndex(where: { $0.poll.source == complete.source })
    {
      downstream.next(.end(of: state.value.ending.remove(at: place).poll))
    }
  }

  private func isComplete(_ entry: (poll: Poll, on: Set<Int>)) -> Bool {
    state.value.ways.indices.allSatisfy { way in
      entry.on.contains(way) || !state.value.ways[way].contains(entry.poll.source)
    }
  }
}

/// One of the streams that are merged.
private final class Way: Observer {
  private let number: Int
  private let merge: PollMerge
  private let subscription: Subscription

  init(_ number: Int, into merge: PollMerge, in subscription: Subscription) {
    self.number = number
    self.merge = merge
    self.subscription = subscription
  }

  func next(_ event: Event) {
    if event.isEndOfPoll { merge.end(event.poll, on: number) } else { merge.downstream.next(event) }
  }

  func fail(_ error: any Error) { merge.downstream.fail(error) }

  func complete() {
    if subscription.isDisposed { return }
    subscription.dispose()
    merge.complete(number)
  }
}
