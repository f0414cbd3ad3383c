import Engine
import JSON
import Language
import Reactive
import System

/// The keys that `timeout` expects, as a pipeline gives them: in a list, or in a file.
enum ExpectedKeys: Sendable {
  case list([Value])
  case file(Options)

  static let fileOptions = AnyOption.list(ExpectedFileOptions.file, ExpectedFileOptions.decode)
}

private enum ExpectedFileOptions {
  static let file = Option.required(
    "file", OptionType<String>.path.referred, "the file that lists the keys", example: "jobs.txt")
  static let decode = Option.optional(
    "decode", Decoding.type, "the format of the file (default: by its name, otherwise lines of text)",
    example: "csv")
}

extension OptionType where Value == ExpectedKeys {
  /// A list of keys, or `{ file: PATH }`.
  static var expectedKeys: OptionType {
    let list = OptionType<[JSON.Value]>.list(of: .value)
    let file = OptionType<Options>.group("expect", ExpectedKeys.fileOptions)
    let schema = JSON.Value.record([("anyOf", .array([list.schema, file.schema]))])
    return OptionType("list or { file: PATH }", sample: "[backup, sync]", schema: schema) { node, checker in
      if case .mapping = checker.resolved(node) { return file.decode(node, checker).map { .file($0) } }
      return list.decode(node, checker).map { .list($0) }
    }
  }
}

/// A file that lists keys, read again when it may have changed.
///
/// Each value of it is a key: a line, or the row of a table or an object, whose key is that of an event or else its first
/// member. Empty lines and those that begin with # are none.
final class ExpectedFile {
  /// How soon the file is read again.
  static let rhythm = Duration.seconds(10)
  /// The largest file that is read.
  private static let limit = 16 << 20

  private let path: String
  private let decoding: Decoding
  private let key: (Value) throws -> Value
  private let warn: (String) -> Void
  private var bytes: [UInt8]?
  private var keys: [Value] = []
  private var lastFlaw: String?

  /// - Parameter key: The key of an object, as of an event; null for none.
  init(_ options: Options, key: @escaping (Value) throws -> Value, warn: @escaping (String) -> Void) {
    path = options[ExpectedFileOptions.file]
    let end = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    let format: TextFormat =
      switch end {
      case "json", "jsonl", "ndjson": .json
      default: TextFormat.named(end) ?? .text
      }
    decoding = options[ExpectedFileOptions.decode] ?? Decoding(format)
    self.key = key
    self.warn = warn
  }

  /// The keys that are new since the last call, and those that the file has no more; nil where there are none.
  ///
  /// The first call throws where the file cannot be read; later ones report that, and the keys stay.
  func changes() throws -> (come: [Value], gone: [Value])? {
    let found: [Value]
    do {
      let now = try readFile(path, limit: Self.limit)
      if now == bytes { return nil }
      found = try read(now)
      (bytes, lastFlaw) = (now, nil)
    } catch {
      let flaw = "expect: \("\(error)".hasPrefix(path) ? "" : path + ": ")\(error)"
      if bytes == nil { throw StepError(flaw) }
      if flaw != lastFlaw { warn("\(flaw); the keys stay those of before") }
      lastFlaw = flaw
      return nil
    }
    let (before, after) = (Set(keys), Set(found))
    keys = found
    return (found.filter { !before.contains($0) }, before.filter { !after.contains($0) })
  }

  private func read(_ bytes: [UInt8]) throws -> [Value] {
    var seen: Set<Value> = []
    return try decoding.values(of: bytes).compactMap { value -> Value? in
      guard let key = try keyOfRow(value), seen.insert(key).inserted else { return nil }
      return key
    }
  }

  private func keyOfRow(_ value: Value) throws -> Value? {
    if let line = value.string {
      let isBlank = { (character: Character) in character == " " || character == "\t" }
      var text = line.drop(while: isBlank)
      while let last = text.last, isBlank(last) { text.removeLast() }
      return text.isEmpty || text.first == "#" ? nil : .string(String(text))
    }
    guard value.kind == .object else { return value.detach() }
    let own = try key(value)
    return own.isNull ? value.keys.first.flatMap { value.member($0)?.detach() } : own.detach()
  }
}
