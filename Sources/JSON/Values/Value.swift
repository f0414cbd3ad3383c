// A JSON value and how to use it.
//
// A value is either a *view* (a document and an index on its tape: nothing was copied) or was *built* (null, booleans,
// doubles, literals, texts, arrays, objects), or is an object of views, a *projection*. Code outside of this module need
// not know which: it uses the accessors.
//
//   kind              kind, typeName, isTruthy, isNull
//   numbers           double; `Value.number(3)`, `Value.literal("1e1000")`; negated and magnitude keep a literal exact
//   texts             withText { bytes in … } (no copy unless the text has escapes), string, `Value.string(…)`,
//                     appendText in place, isText("Go") by bytes; UTF-8 everywhere, always valid
//   arrays            count, element(i), forEachElement, elements (an iterator that can pause), array(items),
//                     append, setElement, takeElement in place
//   objects           member(key), member(key, hint: &h), forEachMember, members (an iterator), sortedKeys,
//                     object(shape, values), setMember, takeMember, removeMember in place; keys in order of insertion
//   order             Value.order(a, b): jq's total order; == and Hashable agree with it
//   keeping           detach() before a value is kept past its document; depth says how deep it nests
//   reading           Value.parse(text), Value.parseAll; Reader, EventReader, SequenceReader for streams
//   writing           json, description; Writer(options).write(value, to: output)
//
// Keys. Make `Key("name")` once for a constant name: it holds the bytes and their hash. A place that looks up the same
// name again and again keeps an `Int` hint beside it (start with 0), which makes the next lookup a single comparison.
// Members of a view come out with their key as a *value* (a view of the name), so that iteration allocates nothing;
// `Key(value)` makes a key of a text where one is needed.
//
// In place. The mutating methods change storage that is uniquely referenced and copy it otherwise, so a fold stays
// linear if it gives up its own reference to the state before changing it. To change something deep inside, take it
// out, change it and put it back: `var inner = outer.takeMember(key); …; outer.setMember(key, inner)`. Meanwhile null
// takes its place, and the storage of `inner` has one owner. Views turn into built containers one level at a time.
//
// Threads. A value may be passed between threads; two threads never share storage that either of them changes, since a
// change needs the only reference.

/// A JSON value.
public enum Value: Sendable {
  case null
  case bool(Bool)
  /// A number that was calculated.
  case number(Double)
  /// A number as it was written, exact until something calculates with it.
  case literal(NumberLiteral)
  /// A text in valid UTF-8.
  case string([UInt8])
  case array(ArrayStorage)
  case object(ObjectStorage)
  /// An object of values inside a document.
  case projection(Projection)
  /// A value inside a document, at an index of its tape.
  case view(TapeDocument, UInt32)
}

/// The six kinds of value.
public enum Kind: UInt8, Sendable {
  case null, boolean, number, string, array, object

  /// The kind's name in jq's `type` and messages.
  @inline(__always)
  public var name: StaticString {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}

extension Value {
  /// A view's word on the tape.
  @inline(__always)
  static func word(_ document: TapeDocument, _ index: UInt32) -> UInt64 { document.tape[Int(index)] }

  @inline(__always)
  public var kind: Kind {
    switch self {
    case .null: return .null
    case .bool: return .boolean
    case .number, .literal: return .number
    case .string: return .string
    case .array: return .array
    case .object, .projection: return .object
    case .view(let document, let index):
      switch Tape.kind(Value.word(document, index)) {
      case Tape.null: return .null
      case Tape.no, Tape.yes: return .boolean
      case Tape.integer, Tape.decimal: return .number
      case Tape.string, Tape.key: return .string
      case Tape.array: return .array
      default: return .object
      }
    }
  }

  /// The result of jq's `type`.
  public var typeName: String { kind.name.description }

  /// Everything but null and false.
  @inline(__always)
  public var isTruthy: Bool {
    switch self {
    case .null: return false
    case .bool(let flag): return flag
    case .view(let document, let index): return Tape.kind(Value.word(document, index)) > Tape.no
    default: return true
    }
  }

  @inline(__always)
  public var isNull: Bool {
    switch self {
    case .null: return true
    case .view(let document, let index): return Tape.kind(Value.word(document, index)) == Tape.null
    default: return false
    }
  }

  /// The flag of a boolean, nil for everything else.
  @inline(__always)
  public var bool: Bool? {
    switch self {
    case .bool(let flag): return flag
    case .view(let document, let index):
      let kind = Tape.kind(Value.word(document, index))
      return kind == Tape.yes ? true : kind == Tape.no ? false : nil
    default: return nil
    }
  }

  /// Elements of an array, members of an object; nil for everything else.
  @inline(__always)
  public var count: Int? {
    switch self {
    case .array(let storage): return storage.items.count
    case .object(let storage): return storage.shape.live
    case .projection(let projection): return projection.count
    case .view(let document, let index):
      return document.isContainer(Int(index)) ? document.count(at: Int(index)) : nil
    default: return nil
    }
  }

  /// An upper bound of the nesting depth: 0 for a scalar, 1 for an array of scalars.
  ///
  /// Exact for a built value; a view counts as the deepest value of its document.
  @inline(__always)
  public var depth: Int { Int(nesting) }

  @inline(__always)
  var nesting: UInt32 {
    switch self {
    case .array(let storage): return storage.depth
    case .object(let storage): return storage.depth
    case .projection(let projection): return projection.depth
    case .view(let document, let index): return document.isContainer(Int(index)) ? document.depth : 0
    default: return 0
    }
  }
}
