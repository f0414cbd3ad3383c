/// A type that is written as JSON and read back.
public protocol JSONConvertible: Sendable {
  /// Nil for anything that `jsonValue` does not produce.
  init?(jsonValue value: Value)

  var jsonValue: Value { get }

  /// Whether a member with null may be left out of an object.
  static var isOptional: Bool { get }
}

extension JSONConvertible {
  public static var isOptional: Bool { false }

  /// Parses JSON; nil where it is none, or has another form.
  public init?(json bytes: [UInt8]) {
    guard let value = try? Value.parse(bytes) else { return nil }
    self.init(jsonValue: value)
  }

  /// The content of a member of an object, which may be missing.
  public init?(member value: Value?) {
    guard let value = value ?? (Self.isOptional ? .null : nil) else { return nil }
    self.init(jsonValue: value)
  }

  /// The member of an object; nil where it is left out.
  public var member: Value? {
    let value = jsonValue
    return Self.isOptional && value.isNull ? nil : value
  }
}

// The types of the standard library that records are made of.

extension Value: JSONConvertible {
  public init?(jsonValue value: Value) { self = value }
  public var jsonValue: Value { self }
}

extension Bool: JSONConvertible {
  public init?(jsonValue value: Value) {
    guard value.kind == .boolean else { return nil }
    self = value.isTruthy
  }

  public var jsonValue: Value { .bool(self) }
}

extension String: JSONConvertible {
  public init?(jsonValue value: Value) {
    guard let text = value.string else { return nil }
    self = text
  }

  public var jsonValue: Value { .string(self) }
}

extension Double: JSONConvertible {
  public init?(jsonValue value: Value) {
    guard let double = value.double else { return nil }
    self = double
  }

  public var jsonValue: Value { .number(self) }
}

extension Int: JSONConvertible {}
extension Int64: JSONConvertible {}
extension UInt: JSONConvertible {}

/// Integers are exact, also those that a double cannot hold.
extension FixedWidthInteger where Self: JSONConvertible {
  public init?(jsonValue value: Value) {
    guard let double = value.double else { return nil }
    guard let integer = abs(double) < 0x1p53 ? Self(exactly: double) : Self("\(value)") else { return nil }
    self = integer
  }

  public var jsonValue: Value {
    let double = Double(self)
    return Self(exactly: double) == self && abs(double) < 0x1p53
      ? .number(double) : .literal("\(self)") ?? .number(double)
  }
}

/// Names in a program, such as the phases of a run.
extension RawRepresentable where Self: JSONConvertible, RawValue == String {
  public init?(jsonValue value: Value) {
    guard let text = value.string else { return nil }
    self.init(rawValue: text)
  }

  public var jsonValue: Value { .string(rawValue) }
}

/// Nothing is null, and a member without content is left out.
extension Optional: JSONConvertible where Wrapped: JSONConvertible {
  public static var isOptional: Bool { true }
  public init?(jsonValue value: Value) { self = value.isNull ? nil : Wrapped(jsonValue: value) }
  public var jsonValue: Value { self?.jsonValue ?? .null }
}

/// Elements of another form are left out.
extension Array: JSONConvertible where Element: JSONConvertible {
  public init?(jsonValue value: Value) {
    guard let items = value.items else { return nil }
    self = items.compactMap { Element(jsonValue: $0) }
  }

  public var jsonValue: Value { .array(map(\.jsonValue)) }
}

/// The names are sorted, so that equal dictionaries are written as the same bytes.
extension Dictionary: JSONConvertible where Key == String, Value: JSONConvertible {
  public init?(jsonValue value: JSON.Value) {
    guard value.kind == .object else { return nil }
    self.init()
    value.forEachMember { name, value in
      if let name = name.string { self[name] = Value(jsonValue: value) }
    }
  }

  public var jsonValue: JSON.Value {
    .record(sorted { $0.key < $1.key }.map { ($0.key, $0.value.jsonValue) })
  }
}
