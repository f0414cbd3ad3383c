import JSON
import Engine
import Language
import Reactive
import System

/// `join`: combines each event with the latest event of another stream that has the same key.
package let join = NodeSpec(
  "join", "combine each event with the latest event of another stream that has the same key",
  reference: .init(PackageResources.join_md),
  options: AnyOption.list(
    JoinOptions.with, JoinOptions.key, JoinOptions.otherKey, JoinOptions.kind, JoinOptions.member,
    JoinOptions.emit, JoinOptions.wait, JoinOptions.lifetime, JoinOptions.maxKeys),
  state:
    """
    the latest event of each key of the other stream, at most `max_keys`; beyond that, the oldest is forgotten; and the \
    events that wait
    """,
  emitsWholePolls: true,
  hasDurableState: true,
  check: { options, checker in
    if options[JoinOptions.emit] != nil, options.isGiven(JoinOptions.member) {
      checker.report(
        "as has no effect beside emit", at: options.place(of: JoinOptions.member),
        hint: "remove as or emit")
    }
  },
  .step { options, context in try Join(options, context) })

private enum JoinOptions {
  static let with = Option.required("with", .stream, "the other source or stream", example: "other")
  static let key = Option.required("key", .expression, "the key of an event", example: ".id")
  static let otherKey = Option.optional(
    "other_key", OptionType<Expression>.expression(with: []),
    "the key of an event of the other stream (default: `key`)", example: ".id")
  static let kind = Option(
    "kind", .choice(of: JoinKind.self), default: "left",
    "an event without a match is sent with null (left) or dropped (inner)")
  static let member = Option("as", .text, default: "other", "the member to store the other event in")
  static let emit = Option.optional(
    "emit", OptionType<Expression>.expression(with: ["other"]),
    "one event per output is sent instead, given the event, `.`, and `$other`",
    example: ". + {place: $other.name}")
  static let wait = Option.optional(
    "wait", OptionType<Bool>.boolean,
    "whether events wait for the first poll of the other stream (default: if both are polled)",
    example: "true")
  static let lifetime = Option.optional(
    "lifetime", OptionType<Duration>.duration, "how long an event of the other stream can be matched",
    example: "1d")
  static let maxKeys = Option(
    "max_keys", .integer(1...10_000_000), default: "65536", "how many keys of the other stream are remembered"
  )
}

private enum JoinKind: String, CaseIterable, Sendable {
  case left, inner
}

private final class Join: Step {
  /// How long events wait before that is reported: a poll that is under way is over by then.
  private static let patience = Duration.seconds(30)

  private let key: Evaluation
  private let otherKey: Evaluation
  private let emit: Evaluation?
  private let member: Key
  private let isInner: Bool
  private var machine: LatestMachine<NodeState<Latest<Value>>, Value>
  private let context: StepContext
  /// The sources of the other stream without an ended poll; nil when nothing waits any more.
  private var awaited: Set<String>?
  /// The events that wait, with the ends of their polls.
  private var held: [Event] = []
  private var heldEvents = 0
  private var queue: NodeQueue<Event>
  /// Whether the other stream has ended its first poll, in this run or one before.
  private let hasPolled: NodeCell<Bool>
  private let bound: Int
  private var isEnding = false

  init(_ options: Options, _ context: StepContext) throws {
    let key = options[JoinOptions.key]
    let otherKey = options[JoinOptions.otherKey] ?? key
    self.key = context.evaluation(key)
    self.otherKey = context.evaluation(otherKey)
    emit = options[JoinOptions.emit].map { context.evaluation($0) }
    member = Key(options[JoinOptions.member])
    isInner = options[JoinOptions.kind] == .inner
    bound = options[JoinOptions.maxKeys]
    self.context = context
    machine = LatestMachine(
      state: try context.state(by: otherKey.text, whenKeyChanges: .forget), bound: bound,
      lifetime: options[JoinOptions.lifetime])
    queue = try context.queue(part: StepContext.waiting)
    hasPolled = try context.cell(part: "polled", by: otherKey.text)
    // State without that cell is from before it existed; its rows are from a poll.
    let isFirst = hasPolled.value.map { !$0 } ?? (machine.state.count == 0)
    if isFirst, options[JoinOptions.wait] ?? context.isPolledOnBothSides {
      awaited = context.sideSources
      hasPolled.set(false)
    }
  }

  func start(_ out: Downstream) {
    held = queue.waiting
    heldEvents = held.count { !$0.isEndOfPoll }
    if held.isEmpty { return }
    // What waited in the last run may not any more.
    out.setAlarm(at: awaited == nil ? out.now : out.now + Self.patience)
    if awaited != nil { noteWait() }
  }

  func wake(_ out: Downstream) {
    if held.isEmpty { return }
    if let awaited {
      context.log.notice("events wait for the first poll of \(Self.names(awaited))")
    } else {
      release(out)
    }
  }

  func takeSide(_ event: Event, _ out: Downstream) throws {
    guard let key = try otherKey.first(event), key.kind != .null else { return }
    machine.set(event.value.packed(), for: key.detach(), at: out.now)
  }

  func endSidePoll(_ poll: Poll, _ out: Downstream) {
    awaited?.remove(poll.source)
    if awaited?.isEmpty == true { release(out) }
  }

  func finishSide(_ out: Downstream) {
    if awaited != nil { release(out) }
  }

  func take(_ event: Event, _ out: Downstream) throws {
    if awaited == nil, held.isEmpty { return try combine(event, out) }
    if held.isEmpty { out.setAlarm(at: out.now + Self.patience) }
    hold(event.detached)
    guard held.count > bound else { return noteWait() }
    context.log.warning(
      "\(held.count) events wait for the first poll of the other stream, more than max_keys: they are sent without it"
    )
    release(out)
  }

  func endPoll(_ poll: Poll, _ out: Downstream) {
    if awaited == nil, held.isEmpty { return out.send(endOf: poll) }
    hold(Event.end(of: poll).detached)
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    if awaited == nil {
      if !held.isEmpty { release(out) }
      return
    }
    switch ending {
    case .keep: context.noteWaiting(heldEvents)
    // The other stream ends too, in its own time.
    case .flush: isEnding = true
    }
  }

  var isBusy: Bool { isEnding && awaited != nil }

  private static func names(_ sources: Set<String>) -> String { sources.sorted().joined(separator: ", ") }

  private func noteWait() {
    context.meter.note(
      NodeStatus.Wait(
        events: heldEvents, request: "the first poll of \(Self.names(awaited ?? []))",
        reason: "", until: nil, isFailing: false))
  }

  private func hold(_ event: Event) {
    held.append(event)
    if !event.isEndOfPoll { heldEvents += 1 }
    queue.append(event)
  }

  /// Sends the events that wait, and lets nothing wait from now on.
  private func release(_ out: Downstream) {
    let events = held
    awaited = nil
    (held, heldEvents) = ([], 0)
    hasPolled.set(true)
    context.meter.note(nil)
    if !events.isEmpty { queue.removeAll() }
    for event in events {
      if event.isEndOfPoll {
        out.send(endOf: event.poll)
      } else {
        do { try combine(event, out) } catch { out.report(error, event) }
      }
    }
  }

  private func combine(_ event: Event, _ out: Downstream) throws {
    let key = try key.first(event) ?? .null
    let other = key.kind == .null ? nil : machine.element(for: key, at: out.now)
    if isInner, other == nil { return }
    if let emit {
      emit.set("other", other ?? .null)
      return try emit.each(event) { out.send(event.with($0)) }
    }
    var joined = event.value
    guard event.value.kind == .object, joined.setMember(member, other ?? .null) else {
      throw Sentence(
        "cannot add the member “\(member.name)” to an event that is not an object; use emit instead")
    }
    out.send(event.with(joined))
  }
}
