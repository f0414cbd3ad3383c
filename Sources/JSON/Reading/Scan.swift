// The inner loops of the parser: strings, eight bytes at a time, numbers, and words that are none.

/// Moves `at`, just after an opening quote, to the closing one; the dirty bit when the text has escapes.
@inline(__always)
func scanString(
  _ text: UnsafePointer<UInt8>, _ at: inout Int, _ end: Int
) throws(ParseFailure) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let highs: UInt64 = 0x8080_8080_8080_8080
  var state: UInt64 = 0
  while true {
    let word = load(text + at, as: UInt64.self)
    let quote = word ^ (ones &* 0x22)
    let slash = word ^ (ones &* 0x5c)
    let found =
      (((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | ((word &- (ones &* 0x20)) & ~word)) & highs
    if found == 0 {
      at += 8
      continue
    }
    at += found.trailingZeroBitCount >> 3
    let byte = text[at]
    if byte == 0x22 {
      if at >= end { throw .incomplete }
      return state
    }
    if byte == 0x5c {
      state = Tape.dirty
      try skipEscape(text, &at, end)
    } else if byte < 0x20 {
      throw at >= end ? .incomplete : .invalid(at)
    } else {
      // A borrow from the byte before.
      at += 1
    }
  }
}

@inline(never)
private func skipEscape(
  _ text: UnsafePointer<UInt8>, _ at: inout Int, _ end: Int
) throws(ParseFailure) {
  switch text[at + 1] {
  case 0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74: at += 2
  case 0x75:
    let unit = try escapedUnit(text, at + 2, end)
    if unit & 0xfc00 == 0xd800 {
      // The first half of a pair needs its second.
      guard text[at + 6] == 0x5c, text[at + 7] == 0x75 else {
        throw at + 8 > end ? .incomplete : .invalid(at)
      }
      guard try escapedUnit(text, at + 8, end) & 0xfc00 == 0xdc00 else { throw .invalid(at) }
      at += 6
    }
    at += 6
  default: throw at + 1 >= end ? .incomplete : .invalid(at + 1)
  }
}

private func escapedUnit(
  _ text: UnsafePointer<UInt8>, _ start: Int, _ end: Int
) throws(ParseFailure) -> UInt32 {
  var unit: UInt32 = 0
  for place in start..<(start + 4) {
    guard let digit = hexDigit(text[place]) else { throw place >= end ? .incomplete : .invalid(place) }
    unit = unit << 4 | digit
  }
  return unit
}

/// Moves `at` past a number of the standard's grammar; false where there is none.
///
/// The text is dirty where a number literal's canonical form is another: with an exponent, or very small.
@inline(__always)
func scanNumber(
  _ text: UnsafePointer<UInt8>, _ at: inout Int, _ kind: inout UInt64, _ state: inout UInt64
) -> Bool {
  if text[at] == 0x2d { at += 1 }
  let whole = at
  if text[at] == 0x30 {
    at += 1
  } else {
    guard text[at] &- 0x31 < 9 else { return false }
    at += 1
    while text[at] &- 0x30 < 10 { at += 1 }
  }
  if text[at] == 0x2e {
    kind = Tape.decimal
    at += 1
    guard text[at] &- 0x30 < 10 else { return false }
    at += 1
    while text[at] &- 0x30 < 10 { at += 1 }
    // 0.000000x is written as an exponent.
    if at - whole > 8, load(text + whole, as: UInt64.self) == 0x3030_3030_3030_2e30 { state = Tape.dirty }
  }
  if text[at] | 0x20 == 0x65 {
    kind = Tape.decimal
    state = Tape.dirty
    at += 1
    if text[at] == 0x2b || text[at] == 0x2d { at += 1 }
    guard text[at] &- 0x30 < 10 else { return false }
    at += 1
    while text[at] &- 0x30 < 10 { at += 1 }
  }
  return true
}

/// The failure of a word that begins like true, false or null and is another.
@inline(never)
func badWord(
  _ text: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ word: StaticString
) -> ParseFailure {
  var place = 0
  while place < word.utf8CodeUnitCount, text[start + place] == word.utf8Start[place] { place += 1 }
  return start + place >= end ? .incomplete : .invalid(start + place)
}

/// True for a byte that cannot follow a word or number directly.
@inline(__always)
func continuesWord(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x2c, 0x7d, 0x5d, 0x20, 0x0a, 0x0d, 0x09, 0x22, 0x5b, 0x7b, 0x3a: false
  default: true
  }
}

/// The bytes of a word that end a field of a table or need an escape; the lowest is certain.
@inline(__always)
func fieldEnds(_ word: UInt64, _ wanted: UInt64) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let end = word ^ wanted
  let quote = word ^ (ones &* 0x22)
  let slash = word ^ (ones &* 0x5c)
  let found =
    ((end &- ones) & ~end) | ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash)
    | ((word &- (ones &* 0x20)) & ~word)
  return found & 0x8080_8080_8080_8080
}
