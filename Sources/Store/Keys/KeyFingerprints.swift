/// A set of keys that takes nine or ten bytes for each, however long it is, and tells of a key in one look at memory.
///
/// A key is known by a hash of 64 bits and by its part, which another hash says. So a key that is not there is taken
/// for one that is once in 2⁶⁴ × parts ÷ keys look-ups: with ten million keys, once in 10¹⁶. Memory fails more often.
final class KnownKeys {
  /// The hashes whose place is in one stretch of memory, each behind the place that follows from it; 0 is none.
  private struct Part {
    var words: UnsafeMutablePointer<UInt64>
    var room: Int
    var count = 0

    init(room: Int) {
      words = .allocate(capacity: room)
      words.initialize(repeating: 0, count: room)
      self.room = room
    }
  }

  struct Print {
    fileprivate let word: UInt64
    fileprivate let number: Int
  }

  private static let mostParts = 1 << 12

  private var parts: [Part]
  private(set) var count = 0
  /// How many bytes the hashes and the room between them take.
  private(set) var bytes = 0
  /// Of no use but that looks go out for it.
  private var looked: UInt64 = 0

  /// An empty one, with room for some keys; there may be more.
  init(room: Int) {
    let (number, roomOfOne) = Self.parts(forRoom: room)
    parts = (0..<number).map { _ in Part(room: roomOfOne) }
    bytes = number * roomOfOne * 8
  }

  /// How many bytes it takes to have room for some keys.
  static func bytes(forRoom room: Int) -> Int {
    let (number, roomOfOne) = parts(forRoom: room)
    return number * roomOfOne * 8
  }

  /// How many parts there are, a power of two, and how much room each has.
  private static func parts(forRoom room: Int) -> (number: Int, roomOfOne: Int) {
    var number = 1
    while number < mostParts, number << 11 < room { number *= 2 }
    return (number, 16 + room / number * 6 / 5)
  }

  /// Whether there are so many more than there was room for that the parts are too few: to make one larger takes as
  /// much memory again.
  var isOutgrown: Bool { parts.count < Self.mostParts && count > parts.count << 14 }

  deinit { for part in parts { part.words.deallocate() } }

  func contains(_ key: StateKey) -> Bool {
    let word = word(key)
    let part = parts[number(key)]
    var place = home(word, part)
    while part.words[place] != 0 {
      if part.words[place] == word { return true }
      place = place + 1 == part.room ? 0 : place + 1
    }
    return false
  }

  func insert(_ key: StateKey) { insert(print(of: key)) }

  /// Takes many keys in, which is quicker than one by one: the looks at all their places, which are rarely at hand, go
  /// out before the first has come back.
  func insert(_ prints: [Print]) {
    for print in prints {
      let part = parts[print.number]
      looked |= part.words[home(print.word, part)]
    }
    for print in prints { insert(print) }
  }

  /// What a key is known by.
  func print(of key: StateKey) -> Print { Print(word: word(key), number: number(key)) }

  func remove(_ key: StateKey) {
    let word = word(key)
    let number = number(key)
    let part = parts[number]
    var place = home(word, part)
    while part.words[place] != word {
      if part.words[place] == 0 { return }
      place = place + 1 == part.room ? 0 : place + 1
    }
    close(place, part)
    parts[number].count -= 1
    count -= 1
  }

  // MARK: -

  private func insert(_ print: Print) {
    let number = print.number
    if parts[number].count * 8 >= parts[number].room * 7 { grow(number) }
    guard put(print.word, in: parts[number]) else { return }
    parts[number].count += 1
    count += 1
  }

  private func word(_ key: StateKey) -> UInt64 { max(key.hash, 1) }

  private func number(_ key: StateKey) -> Int {
    parts.count == 1 ? 0 : Int(truncatingIfNeeded: otherByteHash(key.bytes)) & (parts.count - 1)
  }

  private func home(_ word: UInt64, _ part: Part) -> Int {
    Int(word.multipliedFullWidth(by: UInt64(part.room)).high)
  }

  /// False where it is there already.
  private func put(_ word: UInt64, in part: Part) -> Bool {
    var place = home(word, part)
    while part.words[place] != 0 {
      if part.words[place] == word { return false }
      place = place + 1 == part.room ? 0 : place + 1
    }
    part.words[place] = word
    return true
  }

  /// Moves up whatever would not be found any more once a place is empty.
  private func close(_ place: Int, _ part: Part) {
    var (hole, place) = (place, place)
    while true {
      place = place + 1 == part.room ? 0 : place + 1
      let word = part.words[place]
      if word == 0 { break }
      let fromHome = (place - home(word, part) + part.room) % part.room
      let fromHole = (place - hole + part.room) % part.room
      if fromHome >= fromHole {
        part.words[hole] = word
        hole = place
      }
    }
    part.words[hole] = 0
  }

  /// A quarter more room, since all parts are full at about the same time.
  private func grow(_ number: Int) {
    let before = parts[number]
    var grown = Part(room: before.room + before.room / 4)
    for place in 0..<before.room where before.words[place] != 0 { _ = put(before.words[place], in: grown) }
    grown.count = before.count
    parts[number] = grown
    bytes += (grown.room - before.room) * 8
    before.words.deallocate()
  }
}
