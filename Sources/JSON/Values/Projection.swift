/// A projection: an object whose values are views of one document, as `{id: .id, status: .status.name}` makes of a record.
///
/// It stores only the places of the values on the document's tape: one reference for all of them, and one block of
/// memory. It never changes, so it is read and written without counting references; `Value.setMember` and the like make
/// an `ObjectStorage` of it first.
public final class Projection: Sendable {
  /// The names, none of them removed, and their text.
  let shape: Shape
  let names: WrittenNames
  let document: TapeDocument
  private let places: Places
  /// How deep containers nest here, as `Value.depth` counts.
  let depth: UInt32

  @inline(__always)
  init(_ shape: Shape, _ names: WrittenNames, of document: TapeDocument, at places: Places) {
    self.shape = shape
    self.names = names
    self.document = document
    self.places = places
    var depth: UInt32 = 1
    for number in 0..<names.count {
      if let place = places[number], document.isContainer(place) { depth = document.depth &+ 1 }
    }
    self.depth = depth
  }

  /// The number of members.
  @inline(__always)
  var count: Int { names.count }

  /// The value of the name with that number.
  @inline(__always)
  subscript(number: Int) -> Value {
    places[number].map { .view(document, UInt32(truncatingIfNeeded: $0)) } ?? .null
  }

  /// The index of a value on the document's tape; nil for null without one.
  @inline(__always)
  func place(_ number: Int) -> Int? { places[number] }

  // Not inlined, as what calls them is: they would be there hundreds of times.

  /// The value of a member; nil where there is none.
  @inline(never)
  func member(_ key: Key) -> Value? {
    let number = shape.find(key)
    return number >= 0 ? self[number] : nil
  }

  /// The same, with the number that the name had the last time.
  @inline(never)
  func member(_ key: Key, hint: inout Int) -> Value? {
    let number = shape.find(key, hint: &hint)
    return number >= 0 ? self[number] : nil
  }

  /// A name, as a text, and its value.
  @inline(never)
  func entry(_ number: Int) -> (key: Value, value: Value) {
    (.string(shape.keys[number].bytes), self[number])
  }

  /// The values, one for each name.
  var values: [Value] { (0..<count).map { self[$0] } }

  /// Up to `limit` places on a tape, without memory of their own; at first there is nothing at any of them.
  struct Places: Sendable {
    static let limit = 8

    private typealias Words = (UInt64, UInt64, UInt64, UInt64)
    private var words: Words = (.max, .max, .max, .max)

    @inline(__always)
    subscript(number: Int) -> Int? {
      let place = withUnsafeBytes(of: words) { $0.load(fromByteOffset: number &* 4, as: UInt32.self) }
      return place == .max ? nil : Int(place)
    }

    @inline(__always)
    mutating func set(_ number: Int, to place: Int) {
      withUnsafeMutableBytes(of: &words) {
        $0.storeBytes(of: UInt32(truncatingIfNeeded: place), toByteOffset: number &* 4, as: UInt32.self)
      }
    }
  }
}
