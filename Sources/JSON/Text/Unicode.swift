// UTF-8: checking, repairing, and decoding the escapes of JSON texts.

import Glibc

/// True when all bytes are valid UTF-8.
package func isValidUTF8(_ bytes: ByteView) -> Bool { invalidUTF8Offset(bytes) == bytes.count }

/// The offset of the first sequence that is not UTF-8, or the number of bytes.
package func invalidUTF8Offset(_ bytes: ByteView) -> Int {
  var hasDelete = false
  return checkText(bytes, &hasDelete)
}

/// The same, and whether there is a DEL byte before that offset, which writers escape.
func checkText(_ bytes: ByteView, _ hasDelete: inout Bool) -> Int {
  guard let base = bytes.baseAddress else { return 0 }
  let ones: UInt64 = 0x0101_0101_0101_0101
  let count = bytes.count
  var at = 0
  while at < count {
    while at + 32 <= count {
      let a = load(base + at, as: UInt64.self)
      let b = load(base + at + 8, as: UInt64.self)
      let c = load(base + at + 16, as: UInt64.self)
      let d = load(base + at + 24, as: UInt64.self)
      // Only a byte that is not ASCII carries into the next, and the first half of the term finds it anyway.
      let found = (a | b | c | d) | (a &+ ones) | (b &+ ones) | (c &+ ones) | (d &+ ones)
      if found & 0x8080_8080_8080_8080 != 0 { break }
      at += 32
    }
    // A few bytes one by one, then in blocks again.
    let stop = min(at + 32, count)
    while at < stop {
      if base[at] < 0x80 {
        if base[at] == 0x7f { hasDelete = true }
        at += 1
        continue
      }
      let length = sequenceLength(base + at, count - at)
      if length <= 0 { return at }
      at += length
    }
  }
  return count
}

/// The length of the sequence of two to four bytes at the start; where it is not valid, minus the bytes that one
/// U+FFFD stands for.
func sequenceLength(_ bytes: UnsafePointer<UInt8>, _ available: Int) -> Int {
  let first = bytes[0]
  let length: Int
  switch first {
  case 0xc2...0xdf: length = 2
  case 0xe0...0xef: length = 3
  case 0xf0...0xf4: length = 4
  default: return -1
  }
  for place in 1..<length {
    guard place < available, bytes[place] & 0xc0 == 0x80 else { return -place }
  }
  switch first {
  case 0xe0 where bytes[1] < 0xa0, 0xed where bytes[1] > 0x9f: return -3
  case 0xf0 where bytes[1] < 0x90, 0xf4 where bytes[1] > 0x8f: return -4
  default: return length
  }
}

/// The text with U+FFFD for everything that is not UTF-8.
func repairedUTF8(_ bytes: ByteView) -> [UInt8] {
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count + 16)
  guard let base = bytes.baseAddress else { return text }
  var at = 0
  while at < bytes.count {
    let good = invalidUTF8Offset(ByteView(rebasing: bytes[at...]))
    text.append(contentsOf: bytes[at..<(at + good)])
    at += good
    guard at < bytes.count else { break }
    text.append(contentsOf: [0xef, 0xbf, 0xbd])
    at -= sequenceLength(base + at, bytes.count - at)
  }
  return text
}

@inline(__always)
func hexDigit(_ byte: UInt8) -> UInt32? {
  if byte &- 0x30 < 10 { return UInt32(byte &- 0x30) }
  let letter = (byte | 0x20) &- 0x61
  return letter < 6 ? UInt32(letter) + 10 : nil
}

@inline(__always)
func hexUnit(_ bytes: ByteView, _ start: Int) -> UInt32? {
  guard start + 4 <= bytes.count, let a = hexDigit(bytes[start]), let b = hexDigit(bytes[start + 1]),
    let c = hexDigit(bytes[start + 2]), let d = hexDigit(bytes[start + 3])
  else { return nil }
  return a << 12 | b << 8 | c << 4 | d
}

/// The number of bytes from `start` up to the next backslash; one at the very end counts as plain.
@inline(__always)
private func plainRun(_ source: ByteView, _ start: Int) -> Int {
  guard let base = source.baseAddress, source[start] != 0x5c || start + 1 == source.count else { return 0 }
  guard let found = memchr(base + start + 1, 0x5c, source.count - start - 1) else {
    return source.count - start
  }
  return UnsafeRawPointer(found) - UnsafeRawPointer(base + start)
}

/// Decodes the escapes of a text that the parser has checked; `target` needs as many bytes as the source has.
func unescape(_ source: ByteView, into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
  var at = 0
  var count = 0
  while at < source.count {
    let run = plainRun(source, at)
    if run > 0, let from = source.baseAddress, let to = target.baseAddress {
      memcpy(to + count, from + at, run)
      count += run
      at += run
      continue
    }
    let escape = source[at + 1]
    at += 2
    switch escape {
    case 0x62: target[count] = 8
    case 0x66: target[count] = 12
    case 0x6e: target[count] = 10
    case 0x72: target[count] = 13
    case 0x74: target[count] = 9
    case 0x75:
      var scalar = hexUnit(source, at) ?? 0xfffd
      at += 4
      if scalar & 0xfc00 == 0xd800, at + 1 < source.count, source[at] == 0x5c, source[at + 1] == 0x75,
        let low = hexUnit(source, at + 2), low & 0xfc00 == 0xdc00
      {
        scalar = 0x10000 + (scalar & 0x3ff) << 10 + low & 0x3ff
        at += 6
      }
      count += encodeUTF8(scalar, to: target, at: count)
      continue
    default: target[count] = escape
    }
    count += 1
  }
  return count
}

/// Writes one scalar, U+FFFD for a surrogate, and returns the number of bytes.
@inline(__always)
func encodeUTF8(_ value: UInt32, to target: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
  let scalar = value & 0xffff_f800 == 0xd800 ? 0xfffd : value
  if scalar < 0x80 {
    target[start] = UInt8(scalar)
    return 1
  }
  if scalar < 0x800 {
    target[start] = UInt8(0xc0 | scalar >> 6)
    target[start + 1] = UInt8(0x80 | scalar & 63)
    return 2
  }
  if scalar < 0x10000 {
    target[start] = UInt8(0xe0 | scalar >> 12)
    target[start + 1] = UInt8(0x80 | scalar >> 6 & 63)
    target[start + 2] = UInt8(0x80 | scalar & 63)
    return 3
  }
  target[start] = UInt8(0xf0 | scalar >> 18)
  target[start + 1] = UInt8(0x80 | scalar >> 12 & 63)
  target[start + 2] = UInt8(0x80 | scalar >> 6 & 63)
  target[start + 3] = UInt8(0x80 | scalar & 63)
  return 4
}
