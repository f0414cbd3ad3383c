import JSON
import Language
import Reactive
import System

/// A source that reads on until its end, on a thread of its own.
public protocol StreamSource: AnyObject {
  /// Reads and sends until its end, or until `feed.isStopped`.
  ///
  /// An error ends the source; the pipeline continues with the others, and ends with status 1.
  func run(_ feed: Feed) throws
}

/// A source that is polled by a schedule.
public protocol PollSource: AnyObject {
  /// Starts one poll; its answer, or an error if there is no complete one, is handed over on the scheduler, which it is
  /// called on too: at once or later.
  func ask(
    _ poll: PollRequest, on scheduler: any Scheduler,
    _ answered: @escaping @Sendable (Result<PollAnswer, any Error>) -> Void)
}

/// A polled source that occupies a thread until it has its answer: it computes, or waits for a disk or a command.
public protocol BlockingPollSource: PollSource {
  func poll(_ poll: PollRequest) throws -> PollAnswer
}

extension BlockingPollSource {
  public func ask(
    _ poll: PollRequest, on scheduler: any Scheduler,
    _ answered: @escaping @Sendable (Result<PollAnswer, any Error>) -> Void
  ) {
    answered(Result { try self.poll(poll) })
  }
}

/// A polled source that is suspended while it waits, as for a server: no thread waits with it.
public protocol SuspendingPollSource: PollSource {
  func poll(_ poll: PollRequest) async throws -> PollAnswer
}

extension SuspendingPollSource {
  public func ask(
    _ poll: PollRequest, on scheduler: any Scheduler,
    _ answered: @escaping @Sendable (Result<PollAnswer, any Error>) -> Void
  ) {
    // The task runs on the scheduler, one piece after another.
    let source = LaneLocal<any SuspendingPollSource>(self)
    Task(executorPreference: SchedulerExecutor(scheduler)) {
      let result: Result<PollAnswer, any Error>
      do { result = .success(try await source.value.poll(poll)) } catch { result = .failure(error) }
      // Not within the task, which must not wait for room in a mailbox.
      scheduler.perform { answered(result) }
    }
  }
}

/// The request of a poll.
public struct PollRequest: Sendable {
  public let source: String
  /// Counted from one.
  public let number: Int
  /// The time of day, in seconds since 1970.
  public let at: Double
  /// Whether it repeats one that has failed, before the next poll of the schedule.
  public var isRepetition = false

  /// The poll as events know it.
  public func poll(notes: Value = .emptyObject) -> Poll {
    Poll(source: source, number: number, at: at, notes: notes)
  }
}

/// An error of a poll that says when another attempt may succeed; without it, any failure may pass.
public protocol PollFailure: Error {
  var mayPassLater: Bool { get }
  /// The earliest useful time for it, in seconds since 1970, if known.
  var retryAt: Double? { get }
  /// Whether it is none: there was no request, since its budget is spent until `retryAt`.
  var isWait: Bool { get }
}

extension PollFailure {
  public var isWait: Bool { false }
}

/// The context that a source is made with.
public struct SourceContext: Sendable {
  public let name: String
  public let world: World
  public var log: NodeLog
  public let meter: Meter
  /// Whether the source reads what exists now and ends (`--once`).
  public let isOnce: Bool
  /// Set when the source must stop.
  public let stop: StopSign
  /// The entry that it is polled for, where the source is polled over a list.
  public var entry: Entry?
  /// The position at which the last run stopped before its end.
  public var position: Value?
  /// Notes that something is wrong with it; whether that is to be reported by itself: of many entries only the first.
  public var noteFlaw: @Sendable () -> Bool = { true }
  /// Notes when events of a source that is not polled came, in seconds since 1970.
  public var noteEvents: @Sendable (_ at: Double) -> Void = { _ in }
  /// Notes that something was received and refused.
  public var noteRefusal: @Sendable () -> Void = {}
  /// Notes that a source which reads on is connected, and has heard from the other side.
  public var noteConnection: @Sendable () -> Void = {}
  /// Notes why it is not, and how long it waits until the next attempt: reported at growing intervals.
  public var noteDisconnection: @Sendable (_ error: any Error, _ next: Duration) -> Void = { _, _ in }
  /// Notes that a poll is put off, since its budget is spent.
  public var notePutOff: @Sendable (PollProgress) -> Void = { _ in }
  /// The positions of the entries of a list, by id.
  public var entryPositions: [Value: Value] = [:]
  /// Whether an entry of its list is polled.
  public var isPolled: @Sendable (_ entry: Value) -> Bool = { _ in true }
  /// The rows of other sources' polls, for lists of entries.
  public var polledRows = PolledRows()
  /// Whether the last good answer stands for that of a failed poll.
  public var usesOldAnswers = false
  /// Whether positions are stored.
  public let storesPositions: Bool
  /// A name that no other source of any state on this machine has; nil without state.
  public var identity: String?
  /// When a polled source is polled first, where a run before has polled it.
  public var nextPoll: Double?
  /// Reports the progress of the present poll; nil when it is over.
  public var progress: @Sendable (PollProgress?) -> Void = { _ in }
  /// Polls now, besides the schedule; from any thread.
  public var pollNow: @Sendable () -> Void = {}
  /// Called after each poll; nil where they are not traced.
  public var polled: (@Sendable (PollTrace) -> Void)?

  public func evaluation(_ expression: Expression) -> Evaluation { Evaluation(expression, in: world) }
}

/// The input of the pipeline, as a stream source sees it.
public final class Feed {
  private let downstream: any Observer<SourceBatch>
  private let context: SourceContext
  private let isRepeatable: Bool

  init(_ downstream: any Observer<SourceBatch>, _ context: SourceContext, isRepeatable: Bool) {
    self.downstream = downstream
    self.context = context
    self.isRepeatable = isRepeatable
  }

  public var isStopped: Bool { context.stop.isSet }

  /// Whether positions are stored.
  public var storesPositions: Bool { context.storesPositions }

  /// Sends values that were read together, with the position behind them; blocks while the mailbox is full.
  ///
  /// The acknowledgement makes them an epoch of their own, and is resolved when that is committed.
  public func send(_ values: [Value], position: Value? = nil, acknowledgement: Acknowledgement? = nil) {
    if values.isEmpty, position == nil, acknowledgement == nil { return }
    let poll = Poll(source: context.name, at: context.world.wallClock())
    context.meter.countOut(values.count)
    if !values.isEmpty { context.noteEvents(poll.at) }
    downstream.next(
      SourceBatch(values, poll, endsPoll: false, position: position, acknowledgement: acknowledgement))
  }

  /// Sends a batch of another poll, which is one turn; blocks while the mailbox is full.
  public func send(_ batch: SourceBatch) {
    context.meter.countOut(batch.values.count)
    if !batch.values.isEmpty { context.noteEvents(batch.poll.at) }
    downstream.next(batch)
  }

  /// Declares that all input which existed at the start of the run has been sent: no earlier run can have read more.
  ///
  /// A repeatable source that then waits for more calls it once; one that ends need not.
  public func sayCaughtUp() {
    guard storesPositions, isRepeatable else { return }
    let poll = Poll(source: context.name, at: context.world.wallClock())
    downstream.next(SourceBatch([], poll, endsPoll: false, isCaughtUp: true))
  }
}
