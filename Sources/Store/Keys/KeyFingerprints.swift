/// A hash set of key fingerprints: nine or ten bytes a key, however long the key, and one memory access a look-up.
///
/// A fingerprint is a hash of 64 bits and the part of the set that a second hash selects. A missing key is reported as
/// present once in 2⁶⁴ × parts ÷ keys look-ups: with ten million keys, once in 10¹⁶. Memory fails more often.
final class KeyFingerprints {
  /// An open-addressing table with linear probing; 0 marks a free slot.
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

  struct Fingerprint {
    fileprivate let word: UInt64
    /// The number of its part.
    fileprivate let number: Int
  }

  private static let mostParts = 1 << 12

  private var parts: [Part]
  private(set) var count = 0
  /// The size of all tables in bytes, free slots included.
  private(set) var bytes = 0
  /// Holds what `insert` prefetches, so that the optimiser keeps those reads; its value means nothing.
  private var prefetched: UInt64 = 0

  /// An empty set with room for some keys; more may be inserted.
  init(room: Int) {
    let (number, roomOfOne) = Self.parts(forRoom: room)
    parts = (0..<number).map { _ in Part(room: roomOfOne) }
    bytes = number * roomOfOne * 8
  }

  /// The memory that room for some keys takes.
  static func bytes(forRoom room: Int) -> Int {
    let (number, roomOfOne) = parts(forRoom: room)
    return number * roomOfOne * 8
  }

  /// The number of parts, a power of two, and the slots of each.
  private static func parts(forRoom room: Int) -> (number: Int, roomOfOne: Int) {
    var number = 1
    while number < mostParts, number << 11 < room { number *= 2 }
    return (number, 16 + room / number * 6 / 5)
  }

  /// Whether the set holds so many more keys than planned that its parts are too large: growing a part needs memory for
  /// both of its tables at once.
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

  func insert(_ key: StateKey) { insert(fingerprint(of: key)) }

  /// Inserts many keys, faster than one by one: the slots of all are prefetched first, so that the cache misses overlap.
  func insert(_ fingerprints: [Fingerprint]) {
    for fingerprint in fingerprints {
      let part = parts[fingerprint.number]
      prefetched |= part.words[home(fingerprint.word, part)]
    }
    for fingerprint in fingerprints { insert(fingerprint) }
  }

  /// The fingerprint of a key.
  func fingerprint(of key: StateKey) -> Fingerprint { Fingerprint(word: word(key), number: number(key)) }

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

  private func insert(_ fingerprint: Fingerprint) {
    let number = fingerprint.number
    if parts[number].count * 8 >= parts[number].room * 7 { grow(number) }
    guard put(fingerprint.word, in: parts[number]) else { return }
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

  /// Inserts a hash; false if the part has it already.
  private func put(_ word: UInt64, in part: Part) -> Bool {
    var place = home(word, part)
    while part.words[place] != 0 {
      if part.words[place] == word { return false }
      place = place + 1 == part.room ? 0 : place + 1
    }
    part.words[place] = word
    return true
  }

  /// Frees a slot and moves later hashes of its run forward, so that probing still finds them.
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

  /// Grows a part by a quarter, and no more: all parts fill up at about the same time.
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
