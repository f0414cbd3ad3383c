import Delivery
import Engine
import JSON
import Language
import Reactive
import System

/// The keys that `timeout` expects, as a pipeline gives them: in a list, or in a file.
enum ExpectedKeys: Sendable {
  case list([Value])
  case file(Options)

  static let fileOptions = AnyOption.list(ListFileOptions.file, ListFileOptions.decode)
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
/// member.
final class ExpectedFile {
  /// How soon the file is read again.
  static let rhythm = Duration.seconds(10)

  private let file: ListFile
  private let key: (Value) throws -> Value
  private let warn: (String) -> Void
  /// Nil before the file was read.
  private var keys: [Value]?
  private var lastFlaw: String?

  /// - Parameter key: The key of an object, as of an event; null for none.
  init(_ options: Options, key: @escaping (Value) throws -> Value, warn: @escaping (String) -> Void) {
    file = ListFile(options[ListFileOptions.file], options[ListFileOptions.decode])
    self.key = key
    self.warn = warn
  }

  /// The keys that are new since the last call, and those that the file has no more; nil where there are none.
  ///
  /// The first call throws where the file cannot be read; later ones report that, and the keys stay.
  func changes() throws -> (come: [Value], gone: [Value])? {
    let found: [Value]
    do {
      guard let values = try file.read() else { return nil }
      found = try distinctKeys(of: values)
      lastFlaw = nil
    } catch {
      let flaw = "expect: \("\(error)".hasPrefix(file.path) ? "" : file.path + ": ")\(error)"
      if keys == nil { throw Sentence(flaw) }
      if flaw != lastFlaw { warn("\(flaw); the keys stay those of before") }
      lastFlaw = flaw
      return nil
    }
    let (before, after) = (Set(keys ?? []), Set(found))
    keys = found
    return (found.filter { !before.contains($0) }, before.filter { !after.contains($0) })
  }

  private func distinctKeys(of values: [Value]) throws -> [Value] {
    var seen: Set<Value> = []
    return try values.compactMap { value -> Value? in
      guard let key = try keyOfRow(value), seen.insert(key).inserted else { return nil }
      return key
    }
  }

  private func keyOfRow(_ value: Value) throws -> Value? {
    guard value.kind == .object else { return value.detach() }
    let own = try key(value)
    return own.isNull ? value.keys.first.flatMap { value.member($0)?.detach() } : own.detach()
  }
}
