import JSON
import Engine
import Language
import Reactive

/// `join`: combines each event with the latest event of another stream that has the same key.
let join = NodeSpec(
  "join", "combine each event with the latest event of another stream that has the same key",
  details: """
    The latest event of each key of the other stream is remembered and looked up for each event of this one. Events of \
    the other stream produce no output of their own, and later ones don't change what was already sent. The event gets \
    the other one as a member, or null if there is none; with `emit`, the outputs of that expression are sent instead. \
    A key of null matches nothing.
    """,
  options: AnyOption.list(
    JoinOptions.with, JoinOptions.key, JoinOptions.otherKey, JoinOptions.kind, JoinOptions.member,
    JoinOptions.emit, JoinOptions.lifetime, JoinOptions.maxKeys),
  state:
    "the latest event of each key of the other stream, at most `max_keys`; beyond that, the oldest is forgotten",
  keepsSnapshots: true,
  isKept: true,
  examples: [
    .init(
      "by a shared key", "join: { with: other, key: .pad, as: place }",
      input: """
        1s {"id": "a", "pad": 1}
        2s {"id": "b", "pad": 2}
        """,
      other: #"0s {"pad": 1, "name": "Cape"}"#,
      output: """
        1s {"id":"a","pad":1,"place":{"pad":1,"name":"Cape"}}
        2s {"id":"b","pad":2,"place":null}
        """),
    .init(
      "only events with a match",
      #"join: { with: other, key: .pad, other_key: .id, kind: inner, emit: '{id, place: $other.name}' }"#,
      input: """
        1s {"id": "a", "pad": 1}
        2s {"id": "b", "pad": 2}
        """,
      other: #"0s {"id": 1, "name": "Cape"}"#,
      output: #"1s {"id":"a","place":"Cape"}"#),
    .init(
      "matches of the last hour", "join: { with: other, key: .k, lifetime: 1h, emit: $other.n }",
      input: #"59m {"k": 1}\#n1h {"k": 1}"#, other: #"0s {"k": 1, "n": 5}"#, output: "59m 5\n1h null"),
    .init(
      "at its limit", "join: { with: other, key: .k, max_keys: 1, emit: $other.n }",
      input: #"2s {"k": 1}\#n2s {"k": 2}"#, other: #"0s {"k": 1, "n": 5}\#n1s {"k": 2, "n": 6}"#,
      output: "2s null\n2s 6"),
  ],
  check: { options, checker in
    if options[JoinOptions.emit] != nil, options.isGiven(JoinOptions.member) {
      checker.report(
        "as has no effect beside emit", at: options.place(of: JoinOptions.member),
        hint: "remove as or emit")
    }
  },
  .step { options, context in
    let key = options[JoinOptions.key]
    return try Join(
      key: context.evaluation(key), otherKey: context.evaluation(options[JoinOptions.otherKey] ?? key),
      emit: options[JoinOptions.emit].map { context.evaluation($0) }, as: options[JoinOptions.member],
      isInner: options[JoinOptions.kind] == .inner,
      LatestMachine(
        state: context.state(by: (options[JoinOptions.otherKey] ?? key).text, whenKeyChanges: .forget),
        bound: options[JoinOptions.maxKeys], lifetime: options[JoinOptions.lifetime]))
  })

private enum JoinOptions {
  static let with = Option.required("with", .stream, "the other source or stream", example: "other")
  static let key = Option.required("key", .expression, "the key of an event", example: ".id")
  static let otherKey = Option.optional(
    "other_key", OptionType<Expression>.expression,
    "the key of an event of the other stream (default: `key`)", example: ".id")
  static let kind = Option(
    "kind", .choice(of: JoinKind.self), default: "left",
    "an event without a match is sent with null (left) or dropped (inner)")
  static let member = Option("as", .text, default: "other", "the member to store the other event in")
  static let emit = Option.optional(
    "emit", OptionType<Expression>.expression(with: ["other"]),
    "one event per output is sent instead, given the event, `.`, and `$other`",
    example: ". + {place: $other.name}")
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
  private let key: Evaluation
  private let otherKey: Evaluation
  private let emit: Evaluation?
  private let member: Key
  private let isInner: Bool
  private var machine: LatestMachine<NodeState<Latest<Value>>, Value>

  init(
    key: Evaluation, otherKey: Evaluation, emit: Evaluation?, as member: String, isInner: Bool,
    _ machine: LatestMachine<NodeState<Latest<Value>>, Value>
  ) {
    self.key = key
    self.otherKey = otherKey
    self.emit = emit
    self.member = Key(member)
    self.isInner = isInner
    self.machine = machine
  }

  func takeSide(_ event: Event, _ out: Downstream) throws {
    guard let key = try otherKey.first(event), key.kind != .null else { return }
    machine.set(event.value.detach(), for: key.detach(), at: out.now)
  }

  func take(_ event: Event, _ out: Downstream) throws {
    let key = try key.first(event) ?? .null
    let other = key.kind == .null ? nil : machine.element(for: key, at: out.now)
    if isInner, other == nil { return }
    if let emit {
      emit.set("other", other ?? .null)
      return try emit.each(event) { out.send(event.with($0)) }
    }
    var joined = event.value
    guard event.value.kind == .object, joined.setMember(member, other ?? .null) else {
      throw StepError(
        "cannot add the member “\(member.name)” to an event that is not an object; use emit instead")
    }
    out.send(event.with(joined))
  }
}
