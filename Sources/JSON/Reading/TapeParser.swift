// One value of raw text to the tape, in one loop over bytes with an explicit stack.
//
// The text is followed by zero bytes, which no rule of the grammar accepts, so the loops check no bounds: a rule that
// fails at or past the end of the text means that the text is incomplete.

import Glibc

/// Why no value was parsed.
enum ParseFailure: Error {
  /// The text ends inside the value.
  case incomplete
  /// The byte at this offset is not allowed there.
  case invalid(Int)
  case tooDeep(Int)
}

/// A container whose end has not been seen.
private struct OpenContainer {
  /// One bit for each key hash seen in the enclosing object.
  var seen: UInt64
  var index: UInt32
  var count: UInt32
  var start: UInt32
  var close: UInt8
  var isDirty: Bool
  var mayRepeat: Bool
}

/// Parses values of one document after the other.
struct TapeParser: ~Copyable {
  private let options: ParseOptions
  private var stack: UnsafeMutablePointer<OpenContainer>
  private var stackCapacity = 32
  /// Line breaks passed in white space.
  var lines = 0

  init(_ options: ParseOptions) {
    self.options = options
    stack = .allocate(capacity: stackCapacity)
  }

  deinit { stack.deallocate() }

  private mutating func growStack(_ used: Int) {
    let larger = UnsafeMutablePointer<OpenContainer>.allocate(capacity: stackCapacity * 2)
    larger.moveInitialize(from: stack, count: used)
    stack.deallocate()
    stack = larger
    stackCapacity *= 2
  }

  @inline(__always)
  private mutating func skipSpace(
    _ text: UnsafePointer<UInt8>, _ at: inout Int, _ dirty: inout UInt64
  ) {
    if text[at] <= 0x20 { skipSpaceSlowly(text, &at, &dirty) }
  }

  @inline(never)
  private mutating func skipSpaceSlowly(
    _ text: UnsafePointer<UInt8>, _ at: inout Int, _ dirty: inout UInt64
  ) {
    dirty = Tape.dirty
    skipSpace(text, &at)
  }

  /// Moves `at` to the next byte that is not white space.
  mutating func skipSpace(_ text: UnsafePointer<UInt8>, _ at: inout Int) {
    while true {
      switch text[at] {
      case 0x20, 0x09, 0x0d: break
      case 0x0a: lines += 1
      default: return
      }
      at += 1
    }
  }

  /// Parses the value at `at`, which must not be white space, and leaves `at` after it.
  ///
  /// The text ends at `end`, with a byte after it that no value takes; with `isFinal` nothing will follow, so that a
  /// number may end there.
  mutating func parse(
    _ document: TapeDocument, _ at: inout Int, end: Int, isFinal: Bool
  ) throws(ParseFailure) {
    let text = UnsafePointer(document.raw)
    let scanDelete = document.hasDelete
    var tape = document.tape
    var limit = document.tapeCapacity - 4
    var i = at
    var n = document.tapeCount
    var depth = 0
    var current = 0
    var count = 0
    var dirty: UInt64 = 0
    var close: UInt8 = 0
    var seen: UInt64 = 0
    var mayRepeat = false

    @inline(__always)
    func fail(_ place: Int) -> ParseFailure { place >= end ? .incomplete : .invalid(place) }

    values: while true {
      if n > limit {
        document.growTape(n, n + 64)
        tape = document.tape
        limit = document.tapeCapacity - 4
      }
      let first = text[i]
      switch first {
      case 0x22:
        let start = i + 1
        i = start
        var state = try scanString(text, &i, end)
        if scanDelete, hasDelete(text + start, i - start) { state = Tape.dirty }
        dirty |= state
        tape[n] = Tape.word(Tape.string, i - start, start) | state
        n += 1
        i += 1
      case 0x7b, 0x5b:
        guard depth < options.depthLimit else { throw .tooDeep(i) }
        if depth == stackCapacity { growStack(depth) }
        stack[depth] = OpenContainer(
          seen: seen, index: UInt32(truncatingIfNeeded: current),
          count: UInt32(truncatingIfNeeded: count), start: UInt32(truncatingIfNeeded: i), close: close,
          isDirty: dirty != 0, mayRepeat: mayRepeat)
        depth += 1
        if depth > document.depth { document.depth = UInt32(truncatingIfNeeded: depth) }
        current = n
        n += 2
        count = 0
        dirty = 0
        seen = 0
        mayRepeat = false
        // `}` and `]` stand two after their partners in ASCII.
        close = first &+ 2
        i += 1
        skipSpace(text, &i, &dirty)
        if text[i] != close {
          if close == 0x7d {
            try scanKey(
              document, text, &i, end, tape, &n, &dirty, current, count, &seen, &mayRepeat)
          }
          continue values
        }
        count = -1
      case 0x74:
        guard text[i + 1] == 0x72, text[i + 2] == 0x75, text[i + 3] == 0x65 else {
          throw badWord(text, i, end, "true")
        }
        tape[n] = Tape.word(Tape.yes, 4, i)
        n += 1
        i += 4
      case 0x66:
        guard text[i + 1] == 0x61, text[i + 2] == 0x6c, text[i + 3] == 0x73, text[i + 4] == 0x65 else {
          throw badWord(text, i, end, "false")
        }
        tape[n] = Tape.word(Tape.no, 5, i)
        n += 1
        i += 5
      case 0x6e where text[i + 1] == 0x75:
        guard text[i + 2] == 0x6c, text[i + 3] == 0x6c else { throw badWord(text, i, end, "null") }
        tape[n] = Tape.word(Tape.null, 4, i)
        n += 1
        i += 4
      default:
        let start = i
        var kind = Tape.integer
        var state: UInt64 = 0
        if scanNumber(text, &i, &kind, &state), !continuesWord(text[i]) || i >= end {
          // Ends where a number can end.
        } else {
          i = start
          try scanNumberAsJQ(text, &i, end, isFinal)
          kind = Tape.decimal
          state = Tape.dirty
        }
        guard i - start < Tape.overflow else { throw .invalid(start) }
        dirty |= state
        tape[n] = Tape.word(kind, i - start, start) | state
        n += 1
      }

      while true {
        if depth == 0 {
          // A word or number may continue where the text was cut, and may not run into another.
          let root = text[at]
          if root != 0x22, root != 0x7b, root != 0x5b {
            if i >= end {
              if !isFinal { throw .incomplete }
            } else if continuesWord(text[i]) {
              throw .invalid(i)
            }
          }
          document.tapeCount = n
          at = i
          return
        }
        count += 1
        skipSpace(text, &i, &dirty)
        let next = text[i]
        if next == 0x2c {
          i += 1
          skipSpace(text, &i, &dirty)
          if close == 0x7d {
            if n > limit {
              document.growTape(n, n + 64)
              tape = document.tape
              limit = document.tapeCapacity - 4
            }
            try scanKey(
              document, text, &i, end, tape, &n, &dirty, current, count, &seen, &mayRepeat)
          }
          continue values
        }
        guard next == close else { throw fail(i) }
        i += 1
        depth -= 1
        let open = stack[depth]
        if mayRepeat, document.mergeRepeatedKeys(current, &n, &count) { dirty = Tape.dirty }
        tape[current] =
          Tape.word(close == 0x7d ? Tape.object : Tape.array, count, n) | dirty
        tape[current + 1] = UInt64(open.start) << 32 | UInt64(UInt32(truncatingIfNeeded: i))
        current = Int(open.index)
        count = Int(open.count)
        close = open.close
        seen = open.seen
        mayRepeat = open.mayRepeat
        if open.isDirty { dirty = Tape.dirty }
      }
    }
  }

  /// A key, the colon after it and the space around them.
  @inline(__always)
  private mutating func scanKey(
    _ document: TapeDocument, _ text: UnsafePointer<UInt8>, _ i: inout Int, _ end: Int,
    _ tape: UnsafeMutablePointer<UInt64>, _ n: inout Int, _ dirty: inout UInt64, _ object: Int, _ count: Int,
    _ seen: inout UInt64, _ mayRepeat: inout Bool
  ) throws(ParseFailure) {
    guard text[i] == 0x22 else { throw i >= end ? .incomplete : .invalid(i) }
    let start = i + 1
    i = start
    var state = try scanString(text, &i, end)
    if document.hasDelete, hasDelete(text + start, i - start) { state = Tape.dirty }
    dirty |= state
    let length = i - start
    tape[n] = Tape.word(Tape.key, length, start) | state
    // The first eight bytes and the length choose a bit; only a bit seen before needs a look at the other keys.
    let head = load(text + start, as: UInt64.self) << UInt64(64 - min(length, 8) * 8)
    let bit: UInt64 = 1 << (((head ^ UInt64(length)) &* 0x9E37_79B9_7F4A_7C15) >> 58)
    if seen & bit != 0 || state != 0 {
      if state != 0 || count >= 32 || document.repeatsKey(tape, object + 2, n) { mayRepeat = true }
    }
    seen |= bit
    n += 1
    i += 1
    if text[i] != 0x3a {
      skipSpace(text, &i, &dirty)
      guard text[i] == 0x3a else { throw i >= end ? .incomplete : .invalid(i) }
    }
    i += 1
    skipSpace(text, &i, &dirty)
  }

  /// A number beyond the standard's grammar, where the options allow it.
  @inline(never)
  private func scanNumberAsJQ(
    _ text: UnsafePointer<UInt8>, _ at: inout Int, _ end: Int, _ isFinal: Bool
  ) throws(ParseFailure) {
    let start = at
    while at < end, continuesWord(text[at]) { at += 1 }
    if at >= end, !isFinal { throw .incomplete }
    guard at > start else { throw start >= end ? .incomplete : .invalid(start) }
    let word = ByteView(start: text + start, count: at - start)
    guard options.numbersAsJQ, word.count < Tape.overflow, Decimal(word) != nil else {
      throw .invalid(start)
    }
  }
}

@inline(__always)
private func hasDelete(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
  memchr(text, 0x7f, count) != nil
}
