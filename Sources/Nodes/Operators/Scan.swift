import JSON
import Engine
import Language
import Reactive

/// `scan`: folds events into a state and sends the state after each.
package let scan = NodeSpec(
  "scan", "fold events into a state and send the state after each",
  reference: .init(PackageResources.scan_md),
  options: AnyOption.list(
    ScanOptions.update, ScanOptions.initial, ScanOptions.key, ScanOptions.emit, ScanOptions.maxKeys),
  shorthand: "update",
  state:
    "one value per key, at most `max_keys`; beyond that, the oldest key is forgotten and begins with `init` again",
  hasDurableState: true,
  partitioning: .byKey(ScanOptions.key, sends: ""),
  .step { options, context in
    try Scan(
      key: context.evaluation(options[ScanOptions.key]),
      update: context.evaluation(options[ScanOptions.update]),
      emit: context.evaluation(options[ScanOptions.emit]), initial: options[ScanOptions.initial],
      LatestMachine(
        state: context.state(by: options[ScanOptions.key].text, whenKeyChanges: .forget),
        bound: options[ScanOptions.maxKeys]))
  })

private enum ScanOptions {
  static let update = Option.required(
    "update", .expression(with: ["event"]), "computes the new state from the old one, `.`, and `$event`",
    example: ". + $event.n")
  static let initial = Option("init", .value, default: "null", "the state before the first event")
  static let key = Option("key", .expression, default: "null", "events with the same key share a state")
  static let emit = Option(
    "emit", .expression(with: ["event"]), default: ".",
    "one event per output is sent, given the new state, `.`, and `$event`")
  static let maxKeys = Option(
    "max_keys", .integer(1...10_000_000), default: "65536", "how many keys may have a state")
}

private final class Scan: Step {
  private let key: Evaluation
  private let update: Evaluation
  private let emit: Evaluation
  private let initial: Value
  private var machine: LatestMachine<NodeState<Latest<Value>>, Value>

  init(
    key: Evaluation, update: Evaluation, emit: Evaluation, initial: Value,
    _ machine: LatestMachine<NodeState<Latest<Value>>, Value>
  ) {
    self.key = key
    self.update = update
    self.emit = emit
    self.initial = initial
    self.machine = machine
  }

  func take(_ event: Event, _ out: Downstream) throws {
    let key = event.keyed(try key.first(event) ?? .null)
    let old = machine.element(for: key, at: out.now) ?? initial
    setEvent(event.value)
    // Released, since it may keep the whole chunk alive that was read with it.
    defer { setEvent(.null) }
    guard let state = try update.first(event.with(old))?.detach() else { return }
    machine.set(state, for: key.detach(), at: out.now)
    try emit.each(event.with(state)) { out.send(event.with($0)) }
  }

  private func setEvent(_ value: Value) {
    update.set("event", value)
    emit.set("event", value)
  }
}
