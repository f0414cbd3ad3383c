import JSON
import Language
import Reactive

/// An entry of the list that a source is polled over: what its address or command is made of.
///
/// Each has an id, by which it is known when the list is read again and in the next run.
public final class Entry: Sendable {
  public let id: Value
  private let content: Locked<Value>

  public init(id: Value, _ value: Value) {
    self.id = id
    content = Locked(value)
  }

  /// The value that the list has of it now.
  public var value: Value { content.withLock { $0 } }

  func update(_ value: Value) { content.withLock { $0 = value } }

  /// The id in messages.
  var text: String { Entry.text(of: id) }

  static func text(of id: Value) -> String { printable(id.string ?? id.description) }

  /// Its part of `$meta`: `each`, and `entry` where the id is not the entry itself.
  public var notes: Value {
    let value = value
    return .record([(Poll.each, value)] + (value == id ? [] : [(Poll.entry, id)]))
  }
}

/// The list of a source's entries.
public protocol EntryList: AnyObject {
  /// The entries as they are now; nil where they are as they were when it was last read.
  func read() throws -> [Entry]?

  /// How often it must be read again; nil where it stays, or says so by itself.
  var rereading: Duration? { get }

  /// How many entries are polled at once.
  var concurrency: Int { get }

  /// The fate of the rows of an entry that has left the list.
  var whenGone: GoneRows { get }

  /// Has `changed` called, from any thread, when the list must be read again.
  func watch(_ changed: @escaping @Sendable () -> Void)
}

extension EntryList {
  public var rereading: Duration? { nil }
  public func watch(_ changed: @escaping @Sendable () -> Void) {}
}

/// How a kind of source gets the list that it is polled over.
public struct EntryLists: Sendable {
  /// The source whose rows the list is.
  let source: @Sendable (Options) -> String?
  /// Whether there is one; otherwise the source is polled as one.
  let isGiven: @Sendable (Options) -> Bool
  let make: @Sendable (Options, SourceContext) throws -> any EntryList

  public init(
    source: @escaping @Sendable (Options) -> String?, isGiven: @escaping @Sendable (Options) -> Bool,
    make: @escaping @Sendable (Options, SourceContext) throws -> any EntryList
  ) {
    self.source = source
    self.isGiven = isGiven
    self.make = make
  }
}
