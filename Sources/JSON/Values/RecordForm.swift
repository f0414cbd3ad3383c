/// The form of a record as a JSON object: each member is named once, for writing and for reading.
///
/// The members that a record must have are the arguments of its initializer; the others keep the defaults that the type
/// gives them where the object has no such member.
///
///     struct Point: JSONRecord {
///       let x: Int
///       var y: Int?
///       var label = ""
///
///       init(x: Int, y: Int?) { (self.x, self.y) = (x, y) }
///
///       static let form = RecordForm<Self>(Self.init(x:y:), Field("x", \.x), Field("y", \.y))
///         .with("label", \.label, unless: "")
///     }
///
///     Point(x: 1, y: nil).jsonValue                // {"x":1}
///     Point(jsonValue: .record([("y", .number(2))]))    // nil: it has no x
///
/// A form is made once, member by member, so what makes it is small rather than fast: references, and no inlining.
public final class RecordForm<Record>: Sendable {
  private let make: @Sendable (Value) -> Record?
  private let writers: [@Sendable (Record) -> (Key, Value)?]
  private let readers: [@Sendable (Value, inout Record) -> Void]

  /// The form of a record that is made of these members.
  public init<each Content>(
    _ make: @escaping @Sendable (repeat each Content) -> Record, _ fields: repeat Field<Record, each Content>
  ) {
    self.make = { object in
      do {
        return make(repeat try (each fields).read(object))
      } catch { return nil }
    }
    var writers: [@Sendable (Record) -> (Key, Value)?] = []
    for field in repeat each fields { writers.append(field.write) }
    self.writers = writers
    readers = []
  }

  private init(
    _ form: RecordForm, writing write: @escaping @Sendable (Record) -> (Key, Value)?,
    reading readers: [@Sendable (Value, inout Record) -> Void] = []
  ) {
    make = form.make
    writers = form.writers + [write]
    self.readers = form.readers + readers
  }

  /// The form with one more member, which an object need not have.
  @inline(never)
  public func with<Content>(
    _ field: Field<Record, Content>, _ path: any WritableKeyPath<Record, Content> & Sendable
  ) -> RecordForm {
    RecordForm(
      self, writing: field.write,
      reading: [
        { object, record in
          if object.member(field.name) != nil, let content = try? field.read(object) {
            record[keyPath: path] = content
          }
        }
      ])
  }

  @inline(never)
  public func with<Content: JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Record, Content> & Sendable
  ) -> RecordForm { with(Field(name, path), path) }

  /// The same, written only where it differs from its default.
  @inline(never)
  public func with<Content: JSONConvertible & Equatable>(
    _ name: String, _ path: any WritableKeyPath<Record, Content> & Sendable, unless standard: Content
  ) -> RecordForm { with(Field(name, path, unless: standard), path) }

  /// The same, written only where a condition holds.
  @inline(never)
  public func with<Content: JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Record, Content> & Sendable,
    where isWritten: any KeyPath<Record, Bool> & Sendable
  ) -> RecordForm {
    let field = Field<Record, Content>(
      name, reading: Content.init(member:),
      writing: { $0[keyPath: isWritten] ? $0[keyPath: path].member : nil })
    return with(field, path)
  }

  /// The form with a member that is written for other programs and follows from the others.
  @inline(never)
  public func showing(
    _ name: String, _ path: any KeyPath<Record, some JSONConvertible> & Sendable
  ) -> RecordForm { RecordForm(self, writing: Field(name, path).write) }

  /// The record of an object; nil where a member that it must have is missing or has another form.
  public func read(_ object: Value) -> Record? {
    guard var record = make(object) else { return nil }
    for read in readers { read(object, &record) }
    return record
  }

  public func write(_ record: Record) -> Value {
    var object = Value.emptyObject
    for write in writers {
      if let (name, value) = write(record) { object.setMember(name, value) }
    }
    return object
  }
}

/// A member of a record's form: its name, and how its content is read and written.
public final class Field<Record, Content>: Sendable {
  fileprivate struct Missing: Error {}

  fileprivate let name: Key
  fileprivate let read: @Sendable (Value) throws -> Content
  fileprivate let write: @Sendable (Record) -> (Key, Value)?

  /// A member whose content is converted in its own way; `get` gives nil where it is left out.
  @inline(never)
  public init(
    _ name: String, reading read: @escaping @Sendable (Value?) -> Content?,
    writing get: @escaping @Sendable (Record) -> Value?
  ) {
    let name = Key(name)
    self.name = name
    self.read = { object in
      guard let content = read(object.member(name)) else { throw Missing() }
      return content
    }
    write = { record in get(record).map { (name, $0) } }
  }
}

extension Field where Content: JSONConvertible {
  /// A member that an object must have, unless its content is optional.
  @inline(never)
  public convenience init(_ name: String, _ path: any KeyPath<Record, Content> & Sendable) {
    self.init(name, reading: Content.init(member:), writing: { $0[keyPath: path].member })
  }

  /// A member that is always written, and need not be there when it is read.
  @inline(never)
  public convenience init(
    _ name: String, _ path: any KeyPath<Record, Content> & Sendable, or standard: Content
  ) {
    self.init(
      name, reading: { Content(member: $0) ?? standard }, writing: { $0[keyPath: path].member })
  }

  /// A member that is written only where it differs from its default.
  @inline(never)
  public convenience init(
    _ name: String, _ path: any KeyPath<Record, Content> & Sendable, unless standard: Content
  ) where Content: Equatable {
    self.init(
      name, reading: { Content(member: $0) ?? standard },
      writing: { $0[keyPath: path] == standard ? nil : $0[keyPath: path].member })
  }
}

/// A type that is an object in JSON.
public protocol JSONRecord: JSONConvertible {
  static var form: RecordForm<Self> { get }
}

extension JSONRecord {
  public init?(jsonValue value: Value) {
    guard let record = Self.form.read(value) else { return nil }
    self = record
  }

  public var jsonValue: Value { Self.form.write(self) }
}
