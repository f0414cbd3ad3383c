import Language
import System
import Reactive

extension Observable where Element == Signal {
  /// Several streams as one, where a source's polls come by more than one of them: a poll ends once, when it has ended
  /// on all of its ways.
  ///
  ///     low:   a-|            from the same poll
  ///     high:  ---b--|
  ///     a------b-----|
  static func confluence(_ ways: [(signals: Observable, sources: Set<String>)]) -> Observable {
    Observable { downstream, subscription in
      let confluence = Confluence(ways.map(\.sources), to: downstream)
      for (number, way) in ways.enumerated() {
        if subscription.isDisposed { return }
        let child = subscription.child()
        way.signals.attach(Way(number, into: confluence, in: child), in: child)
      }
    }
  }
}

/// Where streams of the same sources meet.
private final class Confluence: Sendable {
  private struct State {
    /// The sources that each way may bring polls of; none once it has ended.
    var ways: [Set<String>]
    var open: Int
    /// Polls that have not ended on all of their ways, and those on which they have.
    var ending: [(poll: Poll, on: Set<Int>)] = []
  }

  let downstream: any Observer<Signal>
  private let state: LaneLocal<State>

  init(_ ways: [Set<String>], to downstream: any Observer<Signal>) {
    self.downstream = downstream
    state = LaneLocal(State(ways: ways, open: ways.count))
  }

  func end(_ poll: Poll, on way: Int) {
    if let place = state.value.ending.firstIndex(where: { $0.poll === poll }) {
      state.value.ending[place].on.insert(way)
    } else {
      state.value.ending.append((poll, [way]))
    }
    sendWhole()
  }

  func complete(_ way: Int) {
    state.value.ways[way] = []
    state.value.open -= 1
    sendWhole()
    if state.value.open == 0 { downstream.complete() }
  }

  /// Sends the ends of polls that have come by all ways, in order: with one, those of the same source before it.
  private func sendWhole() {
    while let whole = state.value.ending.first(where: isWhole)?.poll,
      let place = state.value.ending.firstIndex(where: { $0.poll.source == whole.source })
    {
      downstream.next(.endOfPoll(state.value.ending.remove(at: place).poll))
    }
  }

  private func isWhole(_ entry: (poll: Poll, on: Set<Int>)) -> Bool {
    state.value.ways.indices.allSatisfy { way in
      entry.on.contains(way) || !state.value.ways[way].contains(entry.poll.source)
    }
  }
}

/// One of the streams that meet.
private final class Way: Observer {
  private let number: Int
  private let confluence: Confluence
  private let subscription: Subscription

  init(_ number: Int, into confluence: Confluence, in subscription: Subscription) {
    self.number = number
    self.confluence = confluence
    self.subscription = subscription
  }

  func next(_ signal: Signal) {
    switch signal {
    case .event: confluence.downstream.next(signal)
    case .endOfPoll(let poll): confluence.end(poll, on: number)
    }
  }

  func fail(_ error: any Error) { confluence.downstream.fail(error) }

  func complete() {
    if subscription.isDisposed { return }
    subscription.dispose()
    confluence.complete(number)
  }
}
