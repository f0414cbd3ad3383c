import Engine
import JSON
import Language
import NATS
import System

/// The parts of a stream, one for each task of a partition: a stream of flow's own has a copy of each message, with the number
/// of its part before the subject, so that a task reads its own part alone.
///
///     3.orders.eu    part 3 has orders.eu, where token 2 of orders.* is the key
///
/// The servers copy, in order and each message once; the stream that is read stays as it is. One that replaces it has another
/// copy, by the time at which it was created.
struct SubjectParts: Sendable {
  let pipeline: String
  /// The subjects of the stream.
  let subject: String
  /// The token that has the key, counted from one.
  let token: Int
  let number: Int
  let count: Int

  /// The subjects of the part, in the copy.
  var filter: String { "\(number).\(subject)" }

  /// The name of the pipeline's copy of a stream; where it begins is decided once, as without parts.
  func copy(of stream: String, created: String) -> String {
    let text = "\(pipeline) \(stream) \(created) \(subject) \(token) \(count)"
    return "FLOW_PARTS_\(String(StableHash(text.utf8).value, radix: 36))"
  }

  /// The subjects on which the servers say that the copy has another message of the part.
  func wakeUp(_ copy: String) -> String { "flow.parts.\(copy).\(filter)" }

  /// The subjects in the copy.
  var destination: String {
    var wildcards = 0
    var key = 0
    let tokens = subject.split(separator: ".").enumerated().map { index, token -> String in
      guard token == "*" else { return String(token) }
      wildcards += 1
      if index + 1 == self.token { key = wildcards }
      return "{{wildcard(\(wildcards))}}"
    }
    return "{{partition(\(count),\(key))}}.\(tokens.joined(separator: "."))"
  }

  /// The settings of the copy, which keeps as much as the stream does.
  func settings(_ copy: String, of stream: String, _ info: StreamReader.Info, from start: NATSStart) -> Value
  {
    var source: [(String, Value)] = [
      ("name", .string(stream)),
      (
        "subject_transforms",
        .array([.record([("src", .string(subject)), ("dest", .string(destination))])])
      ),
    ]
    switch start {
    case .beginning: break
    case .end: source.append(("opt_start_seq", Value.literal("\(info.last + 1)") ?? .null))
    case .sequence(let number): source.append(("opt_start_seq", Value.literal("\(number)") ?? .null))
    case .time(let time): source.append(("opt_start_time", .string(timestamp(time))))
    }
    var settings: [(String, Value)] = [
      ("name", .string(copy)), ("description", .string("parts of \(stream), which flow reads: \(pipeline)")),
      ("allow_direct", .bool(true)), ("sources", .array([.record(source)])),
      (
        "republish",
        .record([("src", ">"), ("dest", .string("flow.parts.\(copy).>")), ("headers_only", .bool(true))])
      ),
    ]
    for name in Self.kept { info.config.member(name).map { settings.append((name, $0)) } }
    return .record(settings)
  }

  /// The settings that the copy has from the stream.
  private static let kept = [
    "num_replicas", "storage", "max_age", "max_bytes", "max_msgs", "max_msgs_per_subject", "duplicate_window",
  ]

  /// Makes the copy where it is not there; throws where that may not be.
  func make(
    _ copy: String, of stream: String, _ info: StreamReader.Info, from start: NATSStart,
    by reader: StreamReader,
    _ log: NodeLog
  ) throws(NATSError) {
    if (try? reader.info()) != nil { return }
    let settings = settings(copy, of: stream, info, from: start)
    do { try reader.make(settings) } catch {
      // One who may not ask is not answered.
      throw NATSError(
        error.kind,
        "the stream \(stream) cannot be read in parts: \(error). Who may make streams does it once: "
          + "nats req '$JS.API.STREAM.CREATE.\(copy)' '\(settings)'")
    }
    log.notice("the servers copy \(stream) into \(copy) from now on, for its parts")
  }

  /// The subject under which a message of the copy was published.
  static func published(_ stored: String) -> String {
    stored.firstIndex(of: ".").map { String(stored[stored.index(after: $0)...]) } ?? stored
  }

  /// `token 2`: the token of a subject that has the key.
  static let type: OptionType<Int> = {
    let text = OptionType<String>.text
    return OptionType<Int>("token N", sample: "token 2", schema: .record([("type", "string")])) {
      node, checker in
      guard let text = text.decode(node, checker) else { return nil }
      let words = text.split(separator: " ")
      if words.count == 2, words[0] == "token", let token = Int(words[1]), token > 0 { return token }
      checker.report(
        "\(quoted(text)) is not a token of a subject", at: node.place,
        hint: "of orders.*, token 2 is what stands for the *")
      return nil
    }
  }()
}

/// The sequence that messages of a copy have in the stream that is copied, which ascends as long as that is the same one.
struct CopiedSequence {
  private var last: UInt64 = 0
  /// Whether one came that is not behind the last.
  var isBehind = false

  mutating func note(_ message: NATSEntry) {
    guard let sequence = Self.sequence(in: message.header(Self.header) ?? "") else { return }
    if sequence <= last { isBehind = true }
    last = sequence
  }

  static let header = "Nats-Stream-Source"

  /// The header has the stream, the sequence and more, between spaces.
  static func sequence(in header: String) -> UInt64? {
    header.split(separator: " ").dropFirst().first.flatMap { UInt64($0) }
  }
}
