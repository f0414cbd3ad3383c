import Engine
import JSON
import Language
import NATS

/// The parts of a stream, one for each task of a partition: the server puts the number of its part before the subject of each
/// message that it stores, so that a task reads its own alone.
///
///     parts.16.3.orders.eu    part 3 of 16 has orders.eu, where token 2 of orders.* is the key
///
/// What was stored before that has no number: each task reads all of it first, and keeps its own.
struct SubjectParts: Sendable {
  /// The subjects as they are published.
  let subject: String
  /// The token that has the key, counted from one.
  let token: Int
  /// Nil where one reads all of them.
  let part: (number: Int, count: Int)?

  private static let prefix = "parts"

  /// The subjects of the part, as they are stored.
  var filter: String? { part.map { "\(Self.prefix).\($0.count).\($0.number).\(subject)" } }

  /// The subjects that are published, and those under which they are stored.
  func transform(into count: Int) -> (source: String, destination: String) {
    var wildcards = 0
    var place = 0
    let tokens = subject.split(separator: ".").enumerated().map { index, token -> String in
      guard token == "*" else { return String(token) }
      wildcards += 1
      if index + 1 == self.token { place = wildcards }
      return "{{wildcard(\(wildcards))}}"
    }
    let destination = tokens.joined(separator: ".")
    return (subject, "\(Self.prefix).\(count).{{partition(\(count),\(place))}}.\(destination)")
  }

  /// The subject under which a message was published.
  static func published(_ stored: String) -> String {
    let tokens = stored.split(separator: ".", maxSplits: 3)
    guard tokens.count == 4, tokens[0] == prefix, Int(tokens[1]) != nil, Int(tokens[2]) != nil else {
      return stored
    }
    return String(tokens[3])
  }

  /// Whether a message is one of these, by the subject under which it is stored: the server's filter has done the rest.
  func has(_ stored: String) -> Bool {
    let published = Self.published(stored)
    let tokens = published.split(separator: ".")
    guard let part else { return matches(tokens) }
    return published != stored
      || tokens.count >= token && Self.part(of: tokens[token - 1], among: part.count) == part.number
  }

  private func matches(_ tokens: [Substring]) -> Bool {
    let pattern = subject.split(separator: ".")
    for (index, token) in pattern.enumerated() {
      if token == ">" { return tokens.count > index }
      guard index < tokens.count, token == "*" || token == tokens[index] else { return false }
    }
    return tokens.count == pattern.count
  }

  /// The part of a key, as the server computes it: FNV-1a of 32 bits.
  static func part(of key: some StringProtocol, among count: Int) -> Int {
    let hash = key.utf8.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return Int(hash % UInt32(count))
  }

  /// Has the stream number what it stores; whether it does so from now on.
  ///
  /// Throws where it does so otherwise, or may not be changed.
  func prepare(
    _ stream: String, _ info: StreamReader.Info, _ reader: StreamReader, _ log: NodeLog
  ) throws -> Bool {
    guard let part else { return false }
    let (source, destination) = transform(into: part.count)
    if let present = info.config.member("subject_transform") {
      let (from, to) = (present.member("src")?.string ?? "", present.member("dest")?.string ?? "")
      if from == source, to == destination { return false }
      throw NATSError(
        .failed,
        "the stream \(stream) stores \(from) as \(to), and partition_by: token \(token) into \(part.count) wants \(source) as \(destination): "
          + "one stream is divided in one way; leave partition_by out here, or give the pipeline the stream's"
      )
    }
    var config: [(String, Value)] = [
      ("subject_transform", .record([("src", .string(source)), ("dest", .string(destination))]))
    ]
    info.config.forEachMember { name, value in config.append((name.string ?? "", value)) }
    do throws(NATSError) { try reader.update(.record(config)) } catch {
      // One who may not ask is not answered.
      throw NATSError(
        error.kind,
        "the stream \(stream) cannot be divided for partition_by: \(error). Set it once, as with "
          + "nats stream edit \(stream) --transform-source '\(source)' --transform-destination '\(destination)'"
      )
    }
    log.notice("the stream \(stream) stores \(source) as \(destination) from now on")
    return true
  }

  /// `token 2`: which part of a subject has the key.
  static let type: OptionType<Int> = {
    let text = OptionType<String>.text
    return OptionType<Int>("token N", sample: "token 2", schema: .record([("type", "string")])) {
      node, checker in
      guard let text = text.decode(node, checker) else { return nil }
      let words = text.split(separator: " ")
      if words.count == 2, words[0] == "token", let token = Int(words[1]), token > 0 { return token }
      checker.report(
        "\(quoted(text)) is not a token of a subject", at: node.place,
        hint: "for orders.*, token 2 is what stands for the *")
      return nil
    }
  }()
}
