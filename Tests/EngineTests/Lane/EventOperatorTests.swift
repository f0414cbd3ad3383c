import Expectations
import JSON
import Reactive
import Testing

@testable import Engine
@testable import Language

@Suite("Steps without state")
struct EventOperatorTests {
  private struct Unfit: Error {}

  /// A step that is given 1, 2 and 3 and the end of their poll, and what comes behind it.
  private final class Bench: Observer {
    let meter = Meter(name: "s", kind: "s")
    let poll = Poll(source: "in", number: 1, at: 0)
    private let seen = LaneLocal<[String]>([])

    var values: [String] { seen.value }

    init(_ step: EventOperator, isTimed: Bool = false) {
      let lane = Lane(on: VirtualScheduler(), world: .real)
      let log = NodeLog(log: .silent, pipeline: "p", node: "s")
      let context = StepContext(name: "s", lane: lane, log: log, meter: meter, isGivenSnapshots: true)
      let errors = ErrorReporter(.log, lane, meter, log, letters: { _, _ in })
      let source = PublishSubject<Event>()
      source.through(.stateless(step), context, errors, ending: { .keep }).attach(self, in: Subscription())
      lane.turn {
        lane.isTimed = isTimed
        for number in 1...3 { source.next(Event(.number(number), poll)) }
        source.next(.end(of: poll))
        source.complete()
      }
    }

    func next(_ event: Event) { seen.value.append(event.isEndOfPoll ? "end" : "\(event.value)") }
    func fail(_ error: any Error) { seen.value.append("failed") }
    func complete() { seen.value.append("|") }
  }

  private static func isTwo(_ event: Event) -> Bool { event.value == .number(2) }

  @Test("a closure that throws costs its event, not the stream", arguments: [false, true])
  func errors(isTimed: Bool) {
    let filter = Bench(
      .filter { event in
        if Self.isTwo(event) { throw Unfit() }
        return event.value != .number(1)
      }, isTimed: isTimed)
    expect(filter.values, equals: ["3", "end", "|"])
    expect([filter.meter.eventsIn, filter.meter.eventsOut], equals: [3, 1])
    expect([filter.meter.errors, filter.meter.lost], equals: [1, 1])
    #expect(filter.poll.isMissingEvents)
  }

  @Test("what a map has emitted before it throws goes on", arguments: [false, true])
  func outputsBeforeAnError(isTimed: Bool) {
    let map = Bench(
      .map { event, emit in
        emit(event)
        if Self.isTwo(event) { throw Unfit() }
        emit(event)
      }, isTimed: isTimed)
    expect(map.values, equals: ["1", "1", "2", "3", "3", "end", "|"])
    expect([map.meter.eventsIn, map.meter.eventsOut, map.meter.errors], equals: [3, 5, 1])
  }

  @Test("an event goes on although what is done with it fails", arguments: [false, true])
  func failingAction(isTimed: Bool) {
    let log = Bench(.do { event in if Self.isTwo(event) { throw Unfit() } }, isTimed: isTimed)
    expect(log.values, equals: ["1", "2", "3", "end", "|"])
    expect([log.meter.eventsIn, log.meter.eventsOut, log.meter.errors], equals: [3, 3, 1])
  }

  @Test("the time of an event is taken where the lane takes it")
  func times() {
    expect(Bench(.do { _ in }).meter.seconds, equals: 0)
    #expect(Bench(.do { _ in }, isTimed: true).meter.seconds > 0)
  }
}
