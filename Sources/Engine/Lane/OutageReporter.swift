import JSON
import Language
import Reactive

/// The reporter of outages, on the lane before the source `errors`: makes events of the outcomes of polls, and adds to
/// each event how many sources and entries fail.
///
/// The open outages are the position of the source, committed with the events that report them.
final class OutageReporter: Observer, Sendable {
  /// So long entries that fail are collected: of many at once only the number is reported.
  static let collecting = Duration.seconds(10)

  private struct State {
    var outages: Outages
    var timer: Subscription?
    var isOver = false
  }

  private let feed: ErrorFeed
  private let entry: SourceEntry
  private let lane: Lane
  private let state: LaneLocal<State>

  init(_ feed: ErrorFeed, from position: Value?, to entry: SourceEntry, on lane: Lane) {
    (self.feed, self.entry, self.lane) = (feed, entry, lane)
    state = LaneLocal(State(outages: position.flatMap(Outages.init(jsonValue:)) ?? Outages()))
  }

  func next(_ batch: SourceBatch) {
    reportOutcomes()
    if !batch.values.isEmpty { send(batch) }
  }

  private func reportOutcomes() {
    // Those of the last run may be of sources that the pipeline no longer has.
    var transitions = state.value.outages.keep(feed.nodes, at: lane.world.wallClock())
    for outcome in feed.takeOutcomes() { transitions += state.value.outages.take(outcome) }
    send(transitions)
    guard state.value.outages.isCollecting, state.value.timer == nil else { return }
    state.value.timer = lane.scheduler.schedule(after: Self.collecting) { [weak self] in
      self?.reportCollected()
    }
  }

  private func reportCollected() {
    state.value.timer?.dispose()
    state.value.timer = nil
    if state.value.isOver || lane.hasEnded { return }
    send(state.value.outages.report(at: lane.world.wallClock()))
  }

  private func send(_ transitions: [Outages.Transition]) {
    guard let last = transitions.last else { return }
    let poll = Poll(source: feed.source, at: last.at)
    send(
      SourceBatch(
        transitions.map(\.event), poll, endsPoll: false, position: state.value.outages.jsonValue))
  }

  private func send(_ batch: SourceBatch) {
    var batch = batch
    let failing = Value.number(state.value.outages.count)
    for index in batch.values.indices { batch.values[index].setMember("failing", failing) }
    entry.next(batch)
  }

  func fail(_ error: any Error) { end { entry.fail(error) } }

  func complete() {
    reportOutcomes()
    reportCollected()
    end { entry.complete() }
  }

  private func end(_ then: () -> Void) {
    state.value.timer?.dispose()
    state.value.isOver = true
    then()
  }
}

extension Outages.Transition {
  fileprivate var event: Value {
    var event = Value.record([
      ("type", .string(type.rawValue)), ("node", .string(outage.source)), ("at", .string(timestamp(at))),
      ("message", .string(message)), ("details", .array([])), ("kind", .string(kind.rawValue)),
      ("since", .string(timestamp(since))),
    ])
    if let entry = outage.entry { event.setMember("entry", entry) }
    if let entries { event.setMember("entries", .number(entries)) }
    return event
  }
}
