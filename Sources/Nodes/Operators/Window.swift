import JSON
import Engine
import Language
import Reactive
import System

/// `window`: collects the events of a period and sends a summary.
package let window = NodeSpec(
  "window", "collect the events of a period and send a summary of them",
  reference: .init(PackageResources.window_md),
  options: AnyOption.list(
    WindowOptions.tumbling, WindowOptions.sliding, WindowOptions.session, WindowOptions.key,
    WindowOptions.emit, WindowOptions.update, WindowOptions.initial, WindowOptions.time,
    WindowOptions.lateness, WindowOptions.maxKeys,
    WindowOptions.maxEvents),
  state: """
    the events of open windows, or with `update` the values they are folded into: at most `max_events` per key, more \
    are dropped and counted; and at most `max_keys` keys, beyond which the windows of the oldest key close
    """,
  hasDurableState: true,
  partitioning: .byKey(
    WindowOptions.key, sends: ".key",
    unless: {
      $0.isGiven(WindowOptions.time) ? "windows by the time in the events end by the latest of all" : nil
    }),
  check: { options, checker in
    let given = [
      options[WindowOptions.tumbling] != nil, options[WindowOptions.sliding] != nil,
      options[WindowOptions.session] != nil,
    ]
    if given.count(where: { $0 }) != 1 {
      checker.report(
        "exactly one of tumbling, sliding and session is required", at: options.place,
        hint: "for example window: { tumbling: 10m }")
    }
    if let sliding = options[WindowOptions.sliding] {
      let (size, every) = (sliding[SlidingOptions.size], sliding[SlidingOptions.every])
      if every > size {
        checker.report(
          "every is longer than size, so events between windows would be missed", at: sliding.place,
          hint: "choose every no longer than size")
      } else if size / every > 1000 {
        checker.report(
          "each event would be in more than 1000 windows", at: sliding.place,
          hint: "choose size no longer than 1000 times every")
      }
    }
    if options[WindowOptions.update] == nil {
      if options.isGiven(WindowOptions.initial) {
        checker.report(
          "init has no effect without update", at: options.place(of: WindowOptions.initial),
          hint: "add update: EXPRESSION, which folds $event into ., or leave init out")
      }
    } else if options[WindowOptions.session] != nil {
      checker.report(
        "a session keeps its events, and has no update", at: options.place(of: WindowOptions.update),
        hint: "compute the summary from the array of events with emit")
    }
    if options[WindowOptions.time] == nil, options.isGiven(WindowOptions.lateness) {
      checker.report(
        "allowed_lateness has no effect without time", at: options.place(of: WindowOptions.lateness),
        hint: "add time: EXPRESSION, the time of an event")
    }
  },
  .step { options, context in try windowStep(options, context) }
)
.sending(
  ["key", "start", "end", "value"],
  row: { options in
    options.isGiven(WindowOptions.emit) || options.isGiven(WindowOptions.update) ? "value" : "value[]"
  })

private enum WindowOptions {
  static let tumbling = Option.optional(
    "tumbling", OptionType<Duration>.duration, "the size of windows that follow each other", example: "10m")
  static let sliding = Option.optional(
    "sliding",
    OptionType<Options>.group("sliding", AnyOption.list(SlidingOptions.size, SlidingOptions.every)),
    "the size of overlapping windows, and the interval at which they begin",
    example: "{ size: 1h, every: 5m }")
  static let session = Option.optional(
    "session", OptionType<Options>.group("session", AnyOption.list(SessionOptions.gap, SessionOptions.max)),
    "the pause that ends a session, and its longest duration", example: "{ gap: 30m, max: 1d }")
  static let key = Option(
    "key", .expression, default: "null", "each key has its own windows")
  static let emit = Option(
    "emit", .expression(with: []), default: ".",
    "computes the `value` to send from the array of the window's events",
    example: "length")
  static let update = Option.optional(
    "update", OptionType<Expression>.expression(with: ["event"]),
    "folds `$event` into the value of its window, `.`, instead of keeping the event", example: ". + $event.n")
  static let initial = Option("init", .value, default: "null", "the value of a window before its first event")
  static let time = Option.optional(
    "time", OptionType<Expression>.expression, "the time of an event: seconds since 1970 or ISO 8601",
    example: ".at")
  static let lateness = Option(
    "allowed_lateness", .duration(allowingZero: true), default: "0s",
    "how long a window stays open for late events after its end, with `time`")
  static let maxKeys = Option(
    "max_keys", .integer(1...1_000_000), default: "10000", "how many keys may have open windows")
  static let maxEvents = Option(
    "max_events", .integer(1...10_000_000), default: "100000",
    "how many events a key's open windows may hold")
}

private enum SlidingOptions {
  static let size = Option.required("size", .duration, "the length of a window", example: "1h")
  static let every = Option.required("every", .duration, "the interval at which windows begin", example: "5m")
}

private enum SessionOptions {
  static let gap = Option.required("gap", .duration, "the pause that ends a session", example: "30m")
  static let max = Option("max", .duration, default: "1d", "the longest duration of a session")
}

private func windowStep(_ options: Options, _ context: StepContext) throws -> MachineStep {
  let emit = context.evaluation(options[WindowOptions.emit])
  let fold = options[WindowOptions.update].map { update in
    folding(by: LaneLocal(context.evaluation(update)), from: options[WindowOptions.initial])
  }
  let machine = WindowMachine(
    state: try windowState(options, context), shape: shape(options), maxKeys: options[WindowOptions.maxKeys],
    maxElements: options[WindowOptions.maxEvents], by: context.keptKey(options[WindowOptions.key]),
    at: try options[WindowOptions.time].map { time in
      let time = LaneLocal(context.evaluation(time))
      return .init(
        time: { event in
          guard let seconds = try time.value.first(event)?.timeOfDay() else {
            throw Sentence("this event has no time")
          }
          if abs(seconds) < Instant.reach { return Instant(timeOfDay: seconds) }
          // Taken as far away, it would close all windows and make all other events late.
          throw Sentence(
            "the time \(timestamp(seconds)) is not of the years 1678 to 2261, which windows have")
        }, lateness: options[WindowOptions.lateness],
        // Restored, unless all windows have closed with a run.
        watermark: try context.cell(of: Instant.self, part: "watermark", forRun: true))
    }, folding: fold)
  var hasWarned = false
  return MachineStep(machine, context, keeps: fold == nil, clock: .ofDay) { output, out in
    switch output {
    case .closed(let window): send(window, by: emit, out)
    case .late: context.meter.countDropped()
    case .full:
      context.meter.countDropped()
      // Once, since the summary of its window is incomplete.
      if !hasWarned {
        context.log.warning("a window is full and events are dropped; raise max_events to hold more")
      }
      hasWarned = true
    }
  }
}

/// The events of open windows, or what they are folded into: with another fold, or other parts of time, it starts over.
private func windowState(
  _ options: Options, _ context: StepContext
) throws -> NodeState<WindowBuffer<Event>> {
  let key = options[WindowOptions.key].text
  guard let update = options[WindowOptions.update] else {
    return try context.state(by: key, whenKeyChanges: .keep)
  }
  let fold = "\(key), update \(update.text), init \(options[WindowOptions.initial]), \(shape(options))"
  return try context.state(by: fold, part: "folded", whenKeyChanges: .forget)
}

private func shape(_ options: Options) -> WindowShape {
  if let session = options[WindowOptions.session] {
    return .session(gap: session[SessionOptions.gap], max: session[SessionOptions.max])
  }
  if let sliding = options[WindowOptions.sliding] {
    return .aligned(size: sliding[SlidingOptions.size], every: sliding[SlidingOptions.every])
  }
  // The spec checks that one of the three is given.
  let size = options[WindowOptions.tumbling] ?? .seconds(60)
  return .aligned(size: size, every: size)
}

/// The value of a window after one more event; it stays the same where `update` has no output.
private func folding(
  by update: LaneLocal<Evaluation>, from initial: Value
) -> @Sendable (Event?, Event) throws -> Event {
  { old, event in
    let update = update.value
    update.set("event", event.value)
    // Released, since it may keep the whole chunk alive that was read with it.
    defer { update.set("event", .null) }
    let value = old?.value ?? initial
    return event.with(try update.first(event.with(value))?.detach() ?? value)
  }
}

/// Sends a window; an `emit` that fails does not affect other windows.
private func send(_ window: ClosedWindow<Value, Event>, by emit: Evaluation, _ out: Downstream) {
  guard let poll = window.elements.last?.poll else { return }
  let events = Event(.array(window.elements.map(\.value)), poll)
  do {
    try emit.each(events) { value in
      let summary = Value.record([
        ("key", window.key), ("start", window.start.text), ("end", window.end.text), ("value", value),
      ])
      out.send(Event(summary, poll))
    }
  } catch {
    out.report(error, events)
  }
}
