import Reactive

/// A step without state: a closure over events, for the operator of `Observable` that has its name.
///
/// It is called on the lane, with events alone. Ends of polls pass by it, it is counted and timed, and an error that it
/// throws is handled as `on_error` says.
public enum EventOperator {
  /// Passes on the events for which it is true.
  case filter((Event) throws -> Bool)
  /// Replaces each event with those that it emits.
  case map((Event, _ emit: (Event) -> Void) throws -> Void)
  /// Is called with each event, which goes on, whether or not it throws.
  case `do`((Event) throws -> Void)
}

extension Observable where Element == Event {
  /// The stream behind a step without state, whose closure is used on its lane alone, as `LaneLocal` has it.
  func applying(_ step: EventOperator, _ books: StepBooks) -> Observable {
    switch step {
    case .filter(let isIncluded):
      nonisolated(unsafe) let isIncluded = isIncluded
      return filter { event in
        var isPassed = event.isEndOfPoll
        books.take(event) { isPassed = try isIncluded($0) }
        if isPassed { books.noteSent(event) }
        return isPassed
      }
    case .map(let transform):
      nonisolated(unsafe) let transform = transform
      return mapMany { event, emit in
        func send(_ event: Event) {
          books.noteSent(event)
          emit(event)
        }
        books.take(event) { try transform($0, send) }
        if event.isEndOfPoll { send(event) }
      }
    case .do(let action):
      nonisolated(unsafe) let action = action
      return self.do(next: { event in
        books.take(event) { try action($0) }
        books.noteSent(event)
      })
    }
  }
}

/// The books of a step without state: its counters, times and errors, and the ends of polls that pass it.
final class StepBooks: Sendable {
  private let lane: Lane
  private let meter: Meter
  private let errors: ErrorReporter

  init(_ context: StepContext, _ errors: ErrorReporter) {
    (lane, meter, self.errors) = (context.lane, context.meter, errors)
  }

  /// Has the step handle an event; the end of a poll is none.
  @inline(__always)
  func take(_ event: Event, _ handle: (Event) throws -> Void) {
    if event.isEndOfPoll { return noteEnd(of: event.poll) }
    meter.countIn()
    if lane.isTimed {
      time(event, handle)
    } else {
      attempt(event, handle)
    }
  }

  /// Notes that an event, or the end of a poll, goes on.
  @inline(__always)
  func noteSent(_ event: Event) {
    if !event.isEndOfPoll { meter.countOut() }
    meter.show(event, on: lane)
  }

  @inline(__always)
  private func attempt(_ event: Event, _ handle: (Event) throws -> Void) {
    do { try handle(event) } catch { errors.report(error, event, in: lane.task) }
  }

  /// Apart, as `noteEnd` is, so that what is done for each event stays small.
  @inline(never)
  private func time(_ event: Event, _ handle: (Event) throws -> Void) {
    lane.timing(meter, isSample: true) { attempt(event, handle) }
  }

  @inline(never)
  private func noteEnd(of poll: Poll) {
    errors.noteArrival(ofEndOf: poll, in: lane.task)
    errors.noteEnd(of: poll, in: lane.task)
  }
}
