// Objects that name a member twice: the last value wins and stands where the first stood, as in jq. Found while the
// object is parsed, and resolved on the tape, so that no other code has to handle it.

extension TapeDocument {
  /// True when one of the keys from `start` on is the one at `index`.
  ///
  /// None of them has escapes.
  @inline(never)
  func repeatsKey(_ tape: UnsafePointer<UInt64>, _ start: Int, _ index: Int) -> Bool {
    let key = tape[index]
    let length = Tape.length(key)
    var at = start
    while at < index {
      let other = tape[at]
      if Tape.length(other) == length, sameBytes(raw + Tape.offset(other), raw + Tape.offset(key), length) {
        return true
      }
      at = Tape.next(tape, at + 1)
    }
    return false
  }

  /// Leaves each key once in the object at `object`, whose members end at `end`.
  ///
  /// True when there was one too many.
  @inline(never)
  func mergeRepeatedKeys(_ object: Int, _ end: inout Int, _ count: inout Int) -> Bool {
    if !hasRepeatedKey(object, end, count) { return false }
    var places: [Key: Int] = [:]
    places.reserveCapacity(count)
    // The tape indices of the key and of its last value.
    var members: [(key: Int, value: Int)] = []
    members.reserveCapacity(count)
    var at = object + 2
    while at < end {
      let key = withText(tape[at]) { Key($0) }
      if let place = places[key] {
        members[place].value = at + 1
      } else {
        places[key] = members.count
        members.append((at, at + 1))
      }
      at = Tape.next(tape, at + 1)
    }
    let old = Array(UnsafeBufferPointer(start: tape + object, count: end - object))
    old.withUnsafeBufferPointer { source in
      guard let base = source.baseAddress else { return }
      let words = base - object
      var n = object + 2
      for member in members {
        tape[n] = words[member.key]
        n += 1
        n = move(words, member.value, to: n)
      }
      end = n
    }
    count = members.count
    return true
  }

  private func hasRepeatedKey(_ object: Int, _ end: Int, _ count: Int) -> Bool {
    var size = 16
    while size < count * 2 { size *= 2 }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: size) { slots in
      slots.initialize(repeating: 0)
      var at = object + 2
      while at < end {
        let isRepeated = withText(tape[at]) { name in
          var slot = Int(hashBytes(name)) & (size - 1)
          // No key is at the beginning of a tape.
          while slots[slot] != 0 {
            if keyMatches(tape[Int(slots[slot])], name) { return true }
            slot = (slot + 1) & (size - 1)
          }
          slots[slot] = UInt32(truncatingIfNeeded: at)
          return false
        }
        if isRepeated { return true }
        at = Tape.next(tape, at + 1)
      }
      return false
    }
  }

  /// Copies a value's words to `target`, with the ends of its containers moved along; the index after the copy.
  private func move(_ words: UnsafePointer<UInt64>, _ start: Int, to target: Int) -> Int {
    let end = Tape.next(words, start)
    let shift = start - target
    var at = start
    while at < end {
      let word = words[at]
      if Tape.kind(word) >= Tape.array {
        tape[at - shift] = word &- UInt64(truncatingIfNeeded: shift)
        tape[at - shift + 1] = words[at + 1]
        at += 2
      } else {
        tape[at - shift] = word
        at += 1
      }
    }
    return end - shift
  }
}
