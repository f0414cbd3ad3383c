import Delivery
import Decode
import Fetch
import JSON
import Engine
import Language
import Reactive
import System

/// `enrich`: adds data to each event by an HTTP request.
package let enrich = NodeSpec(
  "enrich", "add data to each event by an HTTP request",
  reference: .init(PackageResources.enrich_md),
  options: AnyOption.list(
    EnrichOptions.url, EnrichOptions.with, Decoding.option, WebOptions.headers, WebOptions.bearer,
    WebOptions.basic,
    WebOptions.allowHosts,
    EnrichOptions.cache, EnrichOptions.stale, EnrichOptions.concurrency, EnrichOptions.bound,
    EnrichOptions.patience,
    EnrichOptions.timeout,
    WebOptions.maxSize),
  shorthand: "url",
  state: "the events waiting for a response, at most `bound`; beyond that, events fail",
  emitsWholePolls: true, hasDurableState: true,
  check: { options, checker in
    WebOptions.check(options[EnrichOptions.url], at: options.place(of: EnrichOptions.url), checker)
  },
  .step { options, context in try Enrich(options, context) })

private enum EnrichOptions {
  static let url = Option.required(
    "url", .addressTemplate, "the address to request", example: #"'https://example.org/rockets/\(.rocket)'"#)
  static let with = Option(
    "with", .expression(with: ["answer"]), default: ".detail = $answer",
    "its outputs, given an event and its $answer, are sent", example: ".rocket = $answer.name")
  static let cache = Option(
    "cache", .duration(allowingZero: true), default: "1d", "how long a response is reused")
  static let stale = Option(
    "stale", .duration(allowingZero: true), default: "0s",
    "for how much longer than `cache` a response is used while the server fails")
  static let concurrency = Option(
    "concurrency", .integer(1...64), default: "4", "how many requests run at once")
  static let bound = Option(
    "bound", .integer(1...10_000_000), default: "65536", "how many events may wait for a response")
  static let patience = Option(
    "patience", .duration(allowingZero: true), default: "1h",
    "how long a request is repeated that fails for a reason that may pass")
  static let timeout = Option("timeout", .duration, default: "30s", "the time limit of a request")
}

private final class Enrich: Step {
  private enum Found {
    case answer(LookupAnswer)
    /// The event itself is wrong.
    case wrong(any Error)
    case givenUp(any Error, attempts: Int)
  }

  private struct Entry {
    /// An event, or the end of a poll.
    let event: Event
    var found: Found?
  }

  /// The failures of a request in a row.
  private struct Failures: StorableValue, JSONRecord {
    var since: Instant
    var count = 0

    init(since: Instant) { self.since = since }

    static let form = RecordForm<Self>(Self.init(since:), Field("since", \.since)).with("count", \.count)
  }

  /// Responses that have arrived, by address, until the lane takes them.
  private final class LookupAnswers: Sendable {
    typealias Arrived = (address: String, found: Result<LookupAnswer, any Error>)
    private let arrived = Locked<[Arrived]>([])

    func put(_ found: Result<LookupAnswer, any Error>, from address: String) {
      arrived.withLock { $0.append((address, found)) }
    }

    func take() -> [Arrived] {
      arrived.withLock { arrived in
        defer { arrived = [] }
        return arrived
      }
    }
  }

  /// A lookup in progress, and the entries waiting for it.
  private struct Lookup {
    let request: Request
    /// The time of the poll.
    let at: Double
    /// When it was first made in this run.
    let began: Instant
    var entries: [Int]

    /// The key under which its failures are stored: without secrets.
    var key: Value { .string("\(request)") }

    var subscription: Subscription?
    /// How often it has failed in this run.
    var failures = 0
    /// When it is repeated; nil while it is under way.
    var due: Instant?
    /// How it has failed last.
    var failure: FetchError?
  }

  private let options: Options
  private let context: StepContext
  private let lookups: Lookups
  private let texts: [String]
  private let values: Evaluation
  private let with: Evaluation
  private var queue: NodeQueue<Event>
  /// The requests that fail, by what they ask for.
  private var failing: NodeState<Failures>
  private let dead: StepLetters?
  /// The waiting entries, in order; indices keep counting up as long as there are entries.
  private var entries: ArraySlice<Entry> = []
  /// The first entry without a request so far.
  private var next = 0
  private var events = 0
  private var underWay: [String: Lookup] = [:]
  private let answers = LookupAnswers()
  private var isEnding = false
  /// How often in a row the lookup has failed that all other events wait for.
  private var outage = 0
  /// How many old responses were used since the server last answered.
  private var staleInARow = 0
  private let backoff: Backoff

  init(_ options: Options, _ context: StepContext) throws {
    self.options = options
    self.context = context
    lookups = try Lookups(context, options[Decoding.option])
    let url = options[EnrichOptions.url]
    texts = try url.texts(by: context.evaluation(url.texts))
    values = context.evaluation(url.values)
    with = context.evaluation(options[EnrichOptions.with])
    queue = try context.queue()
    failing = try context.sharedState(by: "", part: "failing")
    dead = try context.deadLetters()
    backoff = Backoff(initial: .seconds(2), random: context.lane.world.random)
  }

  deinit { for lookup in underWay.values { lookup.subscription?.dispose() } }

  func start(_ out: Downstream) {
    for event in queue.waiting { append(event) }
    dead?.onReturn(out.bell)
    takeReturned()
    ask(out)
  }

  /// Puts the events of retried dead letters behind all others.
  private func takeReturned() {
    for event in dead?.takeReturned() ?? [] {
      queue.append(event)
      append(event)
    }
  }

  func take(_ event: Event, _ out: Downstream) throws {
    guard events < options[EnrichOptions.bound] else {
      throw Sentence("\(events) events are already waiting for a response, the limit set by bound")
    }
    let event = event.detached
    queue.append(event)
    append(event)
    ask(out)
  }

  func endPoll(_ poll: Poll, _ out: Downstream) {
    if entries.isEmpty { return out.send(endOf: poll) }
    let end = Event.end(of: poll).detached
    queue.append(end)
    append(end)
  }

  func wake(_ out: Downstream) {
    for (address, found) in answers.take() {
      guard let lookup = underWay.removeValue(forKey: address) else { continue }
      if case .failure(let error as FetchError) = found, let later = postponed(lookup, error, out) {
        underWay[address] = later
        continue
      }
      if case .success(let answer) = found { note(answer, of: lookup) }
      lookups.record(found, of: lookup.request, at: lookup.at)
      let failures = failing.count > 0 ? failing.remove(lookup.key) : nil
      let attempts = (failures?.count ?? 0) + 1
      for index in lookup.entries {
        switch found {
        case .success(let answer): entries[index].found = .answer(answer)
        case .failure(let error): entries[index].found = .givenUp(error, attempts: attempts)
        }
      }
    }
    pass(out)
    takeReturned()
    ask(out)
    for (address, lookup) in underWay where lookup.due.map({ $0 <= out.now }) ?? false { begin(address, out) }
    if let due = underWay.values.compactMap(\.due).min() { out.setAlarm(at: due) }
    reportLeft()
    context.meter.note(wait(at: out.now))
  }

  /// The wait of all waiting events; nil where nothing is wrong.
  private func wait(at now: Instant) -> NodeStatus.Wait? {
    guard failing.count > 0 || lookups.wait != nil, let lookup = underWay.values.first(where: isFirst) else {
      return nil
    }
    let time = context.lane.world.wallClock()
    var wait = NodeStatus.Wait(
      events: events, request: "\(lookup.request)", reason: "", until: nil, isFailing: false)
    if let failures = failing.value(for: lookup.key), let failure = lookup.failure {
      (wait.reason, wait.isFailing) = (failure.message, failure.status != 429 && failure.kind != .budget)
      wait.since = time - (now - failures.since).inSeconds
      wait.until = lookup.due.map { time + ($0 - now).inSeconds }
    } else if let (reason, until) = lookups.wait, until > time {
      (wait.reason, wait.until) = (reason, until)
    } else {
      return nil
    }
    return wait
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    // The next run repeats the requests of stored events.
    if ending == .keep, context.hasDurableState { return }
    isEnding = true
    reportLeft()
  }

  var isBusy: Bool { isEnding && !entries.isEmpty && !isLeft }

  /// Whether the end of the run leaves the events to the next one, since the first of them waits for its server.
  private var isLeft: Bool {
    guard isEnding, context.hasDurableState else { return false }
    return underWay.values.contains { $0.due != nil && isFirst($0) }
  }

  /// Whether all other events wait for this lookup.
  private func isFirst(_ lookup: Lookup) -> Bool { lookup.entries.first == entries.startIndex }

  private func reportLeft() {
    if isLeft { context.log.warning("\(waitingEvents) for a response; the next run repeats the requests") }
  }

  private var waitingEvents: String { events == 1 ? "1 event waits" : "\(events) events wait" }

  /// A lookup that is repeated after a failure; nil if it has failed for good.
  private func postponed(_ lookup: Lookup, _ error: FetchError, _ out: Downstream) -> Lookup? {
    let failure = DeliveryFailure(error)
    var failures = failing.value(for: lookup.key) ?? Failures(since: lookup.began)
    guard failure.mayPass, out.now - failures.since < options[EnrichOptions.patience] else { return nil }
    // Without state, no later run repeats it.
    if isEnding, !context.hasDurableState { return nil }
    let asked = (failure.retryAt ?? 0) - context.lane.world.wallClock()
    let own = backoff.delay(beforeRetry: lookup.failures, after: error) ?? .zero
    let wait = max(own, .seconds(min(max(0, asked), 1e9)))
    var lookup = lookup
    (lookup.due, lookup.subscription, lookup.failure) = (out.now + wait, nil, error)
    lookup.failures += 1
    failures.count += 1
    failing.set(failures, for: lookup.key)
    let next = DurationText.format(.seconds(wait.inSeconds.rounded(.up)))
    let message = "\(failure); \(waitingEvents), next try in \(next)"
    if isFirst(lookup) { outage += 1 }
    // At growing distances.
    let isReported = isFirst(lookup) && outage & (outage - 1) == 0
    if isReported { context.log.warning(message) } else { context.log.detail(message) }
    return lookup
  }

  /// Reports that an old response is used, at growing distances, and that the server answers again.
  private func note(_ answer: LookupAnswer, of lookup: Lookup) {
    if let age = answer.age {
      staleInARow += 1
      context.meter.countStale(lookup.entries.count)
      let message =
        "\(answer.failure ?? "\(lookup.request)"); used the response of "
        + "\(DurationText.format(.seconds(age.rounded()))) ago"
      let isReported = staleInARow & (staleInARow - 1) == 0
      if isReported { context.log.warning(message) } else { context.log.detail(message) }
    } else if outage > 0 && isFirst(lookup) || staleInARow > 0 && !answer.isCached {
      staleInARow = 0
      context.log.notice("\(lookup.request): answered again")
    }
    if isFirst(lookup) { outage = 0 }
  }

  private func append(_ event: Event) {
    entries.append(Entry(event: event))
    if !event.isEndOfPoll { events += 1 }
  }

  /// Starts as many requests as allowed; an entry that needs none is passed on in a later turn, like all others.
  private func ask(_ out: Downstream) {
    next = max(next, entries.startIndex)
    while next < entries.endIndex, underWay.count < options[EnrichOptions.concurrency] {
      defer { next += 1 }
      let event = entries[next].event
      if event.isEndOfPoll { continue }
      do {
        guard let address = try address(event) else {
          entries[next].found = .answer(LookupAnswer(.null))
          out.bell()
          continue
        }
        look(address, for: next, of: event.poll, out)
      } catch {
        entries[next].found = .wrong(error)
        out.bell()
      }
    }
  }

  private func look(_ address: Address, for entry: Int, of poll: Poll, _ out: Downstream) {
    let text = address.text
    if underWay[text] != nil {
      underWay[text]?.entries.append(entry)
      return
    }
    var request = Request(address)
    WebOptions.apply(options, to: &request)
    let (cache, stale) = (options[EnrichOptions.cache], options[EnrichOptions.stale])
    request.cache = CacheRule(maximumAge: cache, staleAge: stale > .zero ? cache + stale : .zero)
    request.limits.whole = options[EnrichOptions.timeout]
    if options[Decoding.option].format != .json { request.expectation = .anything }
    let lookup = Lookup(request: request, at: poll.at, began: out.now, entries: [entry])
    underWay[text] = lookup
    // A run that is killed before its first round of attempts has ended counts too.
    if context.hasDurableState, failing.value(for: lookup.key) == nil {
      failing.set(Failures(since: out.now), for: lookup.key)
    }
    begin(text, out)
  }

  private func begin(_ address: String, _ out: Downstream) {
    guard let lookup = underWay[address] else { return }
    underWay[address]?.due = nil
    let bell = out.bell
    let subscription = lookups.start(lookup.request, at: lookup.at, waiting: bell) { [answers] found in
      answers.put(found, from: address)
      bell()
    }
    underWay[address]?.subscription = subscription
  }

  /// The address to request; nil if there is nothing to request.
  private func address(_ event: Event) throws -> Address? {
    try AddressTemplate.data(by: values, event).map { try Address(texts: texts, data: $0) }
  }

  /// Sends the entries with a response, up to the first without.
  private func pass(_ out: Downstream) {
    while let entry = entries.first {
      if entry.event.isEndOfPoll {
        out.send(endOf: entry.event.poll)
      } else if let found = entry.found {
        send(entry.event, found, out)
        events -= 1
      } else {
        return
      }
      queue.removeFirst()
      entries.removeFirst()
    }
    entries = []
    next = 0
    // Of requests that a run before has made, and no event needs any more.
    while failing.removeOldest() != nil {}
  }

  private func send(_ event: Event, _ found: Found, _ out: Downstream) {
    do {
      switch found {
      case .answer(let answer):
        let event = answer.age.map { event.stale(age: $0) } ?? event
        with.set("answer", answer.value)
        try with.each(event) { out.send(event.with($0)) }
      case .wrong(let error): throw error
      case .givenUp(let error, let attempts):
        out.report(error, event)
        try dead?.giveUp(event, attempts: attempts, reason: "\(error)")
      }
    } catch {
      out.report(error, event)
    }
  }
}
