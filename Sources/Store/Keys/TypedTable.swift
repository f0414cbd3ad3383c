/// A value that a typed table stores: bytes in the file, a Swift value in memory.
///
/// It is encoded when an epoch is committed, so a value that changes many times in between is encoded once.
public protocol Storable: Sendable {
  /// Decodes; nil for bytes that `stored` did not make.
  init?(stored bytes: [UInt8])

  var stored: [UInt8] { get }

  /// An estimate of the encoded size, without encoding.
  var storedSize: Int { get }
}

/// A value in memory: encoded, or as the Swift value.
///
/// One type for all tables, because a generic table would look up its type's metadata at each step.
enum KeyedContent {
  case bytes([UInt8])
  case made(any Storable)

  var bytes: [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .made(let value): value.stored
    }
  }
}

/// A keyed table whose values are of one type.
public struct TypedTable<Value: Storable> {
  private let table: KeyedTable

  init(_ table: KeyedTable) {
    self.table = table
    table.decoding = { bytes in Value(stored: bytes).map { .made($0) } }
  }

  /// As in `KeyedTable`, like all that follows.
  public var formerDescription: String? { table.formerDescription }
  public var count: Int { table.count }

  /// Whether there is a key; cheaper than reading its value.
  public func contains(_ key: [UInt8]) -> Bool { StateKey.of(key) { table.contains($0) } }

  public func value(for key: [UInt8]) -> Value? { StateKey.of(key) { table.content(for: $0) }.flatMap(open) }

  public func set(_ value: Value, for key: [UInt8]) {
    StateKey.of(key) { table.set(.made(value), for: $0, isStored: table.contains($0)) }
  }

  @discardableResult
  public func remove(_ key: [UInt8]) -> Value? { StateKey.of(key) { table.take($0) }.flatMap(open) }

  public func removeAll() { table.removeAll() }

  public var oldest: (key: [UInt8], value: Value)? {
    table.first.flatMap { entry in open(entry.value).map { (entry.key, $0) } }
  }

  public func forEach(_ body: ([UInt8], Value) -> Void) {
    table.forEachContent { key, content in
      if let value = open(content) { body(key, value) }
    }
  }

  private func open(_ content: KeyedContent) -> Value? {
    switch content {
    case .bytes(let bytes): Value(stored: bytes)
    case .made(let value): value as? Value
    }
  }
}
