import Language
import System
import JSON
import Store

/// What a node keeps between runs: JSON in the state, so that people can read it there.
public protocol Remembered: Storable {
  /// Nil where it is not what `remembered` makes.
  init?(remembered value: Value)

  var remembered: Value { get }
}

extension Remembered {
  public init?(stored bytes: [UInt8]) {
    guard let value = try? Value.parse(bytes) else { return nil }
    self.init(remembered: value)
  }

  public var stored: [UInt8] { remembered.json }

  public var storedSize: Int { 256 }
}

extension Value: Remembered {
  public init?(remembered value: Value) { self = value }

  public var remembered: Value { self }
}

extension Bool: Remembered {
  public init?(remembered value: Value) {
    guard value.kind == .boolean else { return nil }
    self = value.isTruthy
  }

  public var remembered: Value { .bool(self) }
}

extension Value {
  /// The bytes that a key is kept under: the same for keys that are equal.
  @usableFromInline var keyBytes: [UInt8] {
    switch kind {
    case .number: Value.numberBytes(json) ?? Value.number(double ?? 0).json
    // The order of members makes no difference.
    case .object, .array: Writer(WriteOptions(sortKeys: true)).bytes(self)
    default: json
    }
  }

  /// A number as it stands, where that is how all are written that equal it: 1.0 is 1.
  private static func numberBytes(_ text: [UInt8]) -> [UInt8]? {
    let digits = text.first == UInt8(ascii: "-") ? text[1...] : text[...]
    guard digits.count <= 15, digits.first != UInt8(ascii: "0") || text.count == 1 else { return nil }
    return digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? text : nil
  }

  /// The key that was kept under these bytes.
  @usableFromInline init(keyBytes: [UInt8]) { self = (try? Value.parse(keyBytes)) ?? .null }
}
