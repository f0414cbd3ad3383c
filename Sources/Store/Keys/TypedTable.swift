/// What a table keeps under a key: bytes in the file, whatever is handy in memory.
///
/// It is made into bytes when an epoch is committed, so what is written many times in between costs that once.
public protocol Storable: Sendable {
  /// Nil where the bytes are not what `stored` makes.
  init?(stored bytes: [UInt8])

  var stored: [UInt8] { get }

  /// About how many bytes it takes, as far as that can be said without making them.
  var storedSize: Int { get }
}

/// A value in memory: as bytes, or as what it was made of or will be made into.
///
/// One type whatever is kept, since tables of a type that is not known here would look it up at each step.
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

  /// See `KeyedTable`, for this and all else.
  public var formerDescription: String? { table.formerDescription }
  public var count: Int { table.count }

  /// Whether there is a key, which costs less than to ask what is kept under it.
  public func contains(_ key: [UInt8]) -> Bool { StateKey.of(key) { table.contains($0) } }

  public func value(for key: [UInt8]) -> Value? { StateKey.of(key) { table.content(for: $0) }.flatMap(open) }

  public func set(_ value: Value, for key: [UInt8]) {
    StateKey.of(key) { table.set(.made(value), for: $0, isKept: table.contains($0)) }
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
