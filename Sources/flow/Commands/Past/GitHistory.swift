import Delivery
import Decode
import Fetch
import JSON
import Language
import Reactive
import System

/// The versions of a file in a git history, each of which becomes a poll of a recording.
///
/// They are those of the branch that is checked out: the first parents of its commits, each at the time of its commit.
///
///     let history = try GitHistory(of: "incidents.json", in: "repo", stop: StopSign())
///     try history.record(to: "rec/incidents.jsonl", reading: try .init(decode: nil, rows: ".incidents[]"))
package struct GitHistory {
  /// A version of the file.
  private struct Version {
    let commit: String
    let at: Double
    /// The object that holds it; nil where the commit has removed the file.
    let blob: String?
  }

  private let folder: String
  private let versions: [Version]
  private let stop: StopSign

  package init(of path: String, in folder: String, stop: StopSign) throws {
    (self.folder, self.stop) = (folder, stop)
    let log = ChildCommand(
      arguments: Self.git(in: folder) + [
        "log", "--first-parent", "-m", "--raw", "--no-abbrev", "--no-renames", "--no-color", "--no-ext-diff",
        "-z",
        "--format=commit %H %ct", "--", path,
      ], output: .captured(limit: 1 << 30), timeout: .seconds(600))
    var errors: [String] = []
    let result = log.run(stop: stop) { errors.append($0) }
    guard result.end == .exited(0) else {
      throw Sentence(errors.first.map { "git log: \($0)" } ?? "git log: \(result.end)")
    }
    let found = Self.versions(in: result.output)
    if found.isEmpty {
      throw Sentence("no commit of \(folder) has \(path)\(Self.hint(path, folder))")
    }
    // In an old commit a folder may have had its name.
    let own = found.filter { Self.lastPart($0.name) == Self.lastPart(path) }
    guard Set(own.map(\.name)).count == 1 else {
      let some = Set(found.map(\.name)).sorted().prefix(3).joined(separator: ", ")
      throw Sentence("\(path) is a folder, with \(some); name one of its files")
    }
    versions = own.reversed().map(\.version)
  }

  private static func git(in folder: String) -> [String] { ["git", "--literal-pathspecs", "-C", folder] }

  private static func lastPart(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }

  /// The file of the last commit that may be meant.
  private static func hint(_ path: String, _ folder: String) -> String {
    let list = ChildCommand(
      arguments: git(in: folder) + ["ls-files", "-z"], output: .captured(limit: 1 << 20))
    let names = list.run().output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    let same = names.first { lastPart($0) == lastPart(path) }
    return (same ?? nearest(to: path, among: names)).map { "; did you mean \($0)?" } ?? ""
  }

  /// The versions that `git log` lists, the latest first, with the name of the file in each.
  private static func versions(in listing: [UInt8]) -> [(version: Version, name: String)] {
    var versions: [(Version, String)] = []
    var commit: (id: String, at: Double)?
    var blob: String??
    for part in listing.split(separator: 0) {
      let text = String(decoding: part, as: UTF8.self)
      let words = text.split(whereSeparator: \.isWhitespace)
      if let known = blob, let commit {
        versions.append((Version(commit: commit.id, at: commit.at, blob: known), text))
        blob = nil
      } else if words.first == "commit", words.count == 3, let at = Double(words[2]) {
        commit = (String(words[1]), at)
      } else if words.count == 5, words[0].hasPrefix(":") {
        blob = .some(words[4] == "D" ? nil : String(words[3]))
      }
    }
    return versions
  }
}

// MARK: - Recording

extension GitHistory {
  /// How the rows of a version are read, as a source `http` reads those of a response.
  package struct Reading {
    fileprivate let decoding: Decoding
    fileprivate let rows: Evaluator
    fileprivate let isGiven: Bool

    /// `decode` is what a pipeline has after `decode:`, and `rows` what it has after `rows:`.
    package init(decode: String?, rows: String?) throws {
      decoding =
        if let decode { try Decoding.option.value(of: decode, from: "--decode", in: Catalog.all) } else {
          .json
        }
      self.rows = try Program(rows ?? RowsPath.defaultRows, name: "--rows").evaluator()
      isGiven = rows != nil
    }

    fileprivate func rows(of bytes: [UInt8]) throws -> [Value] {
      if bytes.allSatisfy({ isSpace($0) }) { throw Sentence("is empty") }
      if decoding.format.refusesPages, let page = pageInWords(bytes) { throw Sentence("is \(page)") }
      let value =
        decoding.format == .json
        ? try Value.parse(try servedText(bytes, charset: nil), .strict)
        : .array(try decoding.values(of: bytes))
      if !isGiven {
        if value.kind == .null { throw Sentence("is null instead of a list") }
        if let words = value.reportedError { throw Sentence("is an error: \(words)") }
      }
      var found: [Value] = []
      try rows.run(value) { found.append($0) }
      return found
    }
  }

  /// The numbers of what was recorded.
  package struct Summary {
    package var polls = 0
    package var failures = 0
    package var rows = 0
    package var first = 0.0
    package var last = 0.0
    /// Why the first of the failed polls has failed.
    package var flaw: String?
  }

  /// Writes the recording, which takes its place when it is whole.
  package func record(to path: String, reading: Reading, on disk: any Disk = SystemDisk()) throws -> Summary {
    let recording = WholeFile(path: path, mode: 0o600, syncs: false, disk: disk)
    let file = try recording.begin()
    var summary = Summary()
    var lines: [UInt8] = []
    do {
      try eachVersion { version, bytes in
        // A clock that was set back gives a commit an earlier time than the one before it.
        let at = max(version.at, summary.polls == 0 ? version.at : summary.last)
        if summary.polls == 0 { summary.first = at }
        summary.last = at
        summary.polls += 1
        let poll = Self.poll(of: version, at: at, bytes, reading)
        switch poll.content {
        case .rows(let rows, _, _): summary.rows += rows.count
        case .error(let reason, _):
          summary.failures += 1
          summary.flaw = summary.flaw ?? reason
        }
        lines += poll.line
        if lines.count < 1 << 20 { return }
        try file.append(lines)
        lines.removeAll(keepingCapacity: true)
      }
      try file.append(lines)
      try recording.finish(file)
    } catch {
      recording.abandon()
      throw error
    }
    return summary
  }

  private static func poll(of version: Version, at: Double, _ bytes: [UInt8]?, _ reading: Reading)
    -> RecordedPoll
  {
    let name = version.commit.prefix(12)
    guard let bytes else {
      let reason =
        version.blob == nil
        ? "commit \(name) has removed the file"
        : "the version of commit \(name) is not in this repository, which is a part of another"
      return RecordedPoll(at: at, .error(reason))
    }
    do {
      let rows = try reading.rows(of: bytes)
      return RecordedPoll(
        at: at, .rows(rows, notes: .record([("commit", .string(version.commit))]), coverage: .complete))
    } catch {
      return RecordedPoll(at: at, .error("the version of commit \(name): \(error)"))
    }
  }

  /// Hands out each version, the earliest first; nil for a file that a commit has removed, or that is not here.
  private func eachVersion(_ body: (Version, [UInt8]?) throws -> Void) throws {
    let names = versions.compactMap(\.blob).map { Array("\($0)\n".utf8) }
    let command = ChildCommand(arguments: Self.git(in: folder) + ["cat-file", "--batch"])
    var errors: [String] = []
    let output: CommandOutput
    do {
      output = try CommandOutput(command, input: Array(names.joined()), stop: stop) { errors.append($0) }
    } catch { throw Sentence("git cat-file: \(error.reason)") }
    defer { _ = output.end() }
    var objects = ObjectStream(output)
    for version in versions {
      guard version.blob != nil else {
        try body(version, nil)
        continue
      }
      switch objects.next() {
      case .object(let bytes): try body(version, bytes)
      case .missing: try body(version, nil)
      case .ended:
        if stop.isSet { throw Sentence("stopped") }
        throw Sentence("git cat-file: \(errors.first ?? "it has ended early")")
      }
    }
  }
}

/// The objects that `git cat-file --batch` prints: a line with the length of each, and its bytes.
private struct ObjectStream {
  enum Answer {
    case object([UInt8])
    case missing
    case ended
  }

  private let output: CommandOutput
  private var buffer: [UInt8] = []
  private var start = 0

  init(_ output: CommandOutput) { self.output = output }

  mutating func next() -> Answer {
    while true {
      if let end = buffer[start...].firstIndex(of: 0x0a) {
        let words = buffer[start..<end].split(separator: 0x20)
        // As in `0123… missing`, instead of `0123… blob 42`.
        guard words.count == 3, let count = Int(String(decoding: words[2], as: UTF8.self)) else {
          drop(end + 1)
          return .missing
        }
        while buffer.count < end + 1 + count + 1 { if !fill() { return .ended } }
        defer { drop(end + 1 + count + 1) }
        return .object(Array(buffer[end + 1..<end + 1 + count]))
      }
      if !fill() { return .ended }
    }
  }

  private mutating func drop(_ end: Int) {
    start = end
    if start > 1 << 22 {
      buffer.removeFirst(start)
      start = 0
    }
  }

  private mutating func fill() -> Bool {
    let room = 1 << 18
    let count = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: room))
    let read = buffer.withUnsafeMutableBytes {
      output.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
    }
    buffer.removeLast(room - read)
    return read > 0
  }
}
