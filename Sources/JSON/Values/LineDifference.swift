import Glibc

extension Value {
  /// The difference of two texts of several lines; nil for two other values.
  ///
  ///     Value.lineDifference(from: "a\nb\n", to: "a\nc\n")   // @@ -1,2 +1,2 @@\n a\n-b\n+c
  static func lineDifference(from before: Value, to after: Value) -> Value? {
    guard before.mayHaveLines, after.mayHaveLines else { return nil }
    let text = before.withText { old in
      after.withText { new -> [UInt8]? in
        guard lineEnd(in: old, from: 0, to: old.count) != nil, lineEnd(in: new, from: 0, to: new.count) != nil
        else { return nil }
        return LineDifference(old, new).unified
      }
    }
    return text.flatMap(\.self)?.map { .string($0) }
  }

  /// Whether it is a text that may have a line break: on a tape that is an escape, which most texts do not have.
  private var mayHaveLines: Bool {
    switch self {
    case .string: return true
    case .view(let document, let index):
      let word = Value.word(document, index)
      guard Tape.kind(word) == Tape.string, Tape.isDirty(word) else { return false }
      let raw = document.rawString(word)
      var place = 0
      while let escape = firstPlace(of: UInt8(ascii: "\\"), in: raw, from: place, to: raw.count - 1) {
        if raw[escape + 1] == UInt8(ascii: "n") { return true }
        if raw[escape + 1] == UInt8(ascii: "u") {
          let code = raw[(escape + 2)...].prefix(4)
          if code.elementsEqual("000a".utf8) || code.elementsEqual("000A".utf8) { return true }
        }
        place = escape + 2
      }
      return false
    default: return false
    }
  }
}

private let lineFeed = UInt8(ascii: "\n")

/// The difference of two texts by lines, in unified form with three lines of context, and without names of files.
///
/// The lines between what both texts begin and end with are compared by Myers' algorithm, which finds the shortest
/// difference, as long as it has at most `mostEdits` lines. Beyond that, lines that occur once on either side divide
/// the texts, and the parts between them are compared so. A part that still differs too much, and texts of more than
/// `mostLines` lines, are replaced as a whole. So the time grows with the size of the texts.
struct LineDifference {
  fileprivate static let context = 3
  private static let mostEdits = 1024
  private static let mostEditsOfPart = 256
  private static let mostLines = 1 << 19

  private let before: Lines
  private let after: Lines
  /// For each line a number, the same for equal lines of both.
  private var old: [Int32] = []
  private var new: [Int32] = []
  private var names = 0
  private var isRemoved: [Bool]
  private var isAdded: [Bool]
  /// How many more lines may be compared by Myers' algorithm.
  private var left = 1 << 26

  init(_ first: ByteView, _ second: ByteView) {
    let (start, end) = Lines.middle(of: first, second)
    before = Lines(first, start, first.count - end)
    after = Lines(second, start, second.count - end)
    isRemoved = Array(repeating: false, count: before.count)
    isAdded = Array(repeating: false, count: after.count)
    let all = (old: 0..<before.count, new: 0..<after.count)
    guard before.count + after.count <= Self.mostLines else {
      replace(all.old, all.new)
      return
    }
    var table = LineTable(capacity: before.count + after.count)
    old = (0..<before.count).map { table.name(of: before[$0]) }
    new = (0..<after.count).map { table.name(of: after[$0]) }
    names = table.count
    compare(all.old, all.new, isPart: false)
  }

  // MARK: - Comparison

  private mutating func replace(_ a: Range<Int>, _ b: Range<Int>) {
    for line in a { isRemoved[line] = true }
    for line in b { isAdded[line] = true }
  }

  private mutating func compare(_ a: Range<Int>, _ b: Range<Int>, isPart: Bool) {
    var (a, b) = (a, b)
    while let first = a.first, let second = b.first, old[first] == new[second] {
      a = first + 1..<a.upperBound
      b = second + 1..<b.upperBound
    }
    while let first = a.last, let second = b.last, old[first] == new[second] {
      a = a.lowerBound..<first
      b = b.lowerBound..<second
    }
    if a.isEmpty || b.isEmpty { return replace(a, b) }
    if markShortest(a, b, isPart ? Self.mostEditsOfPart : Self.mostEdits) { return }
    let anchors = isPart ? [] : self.anchors(a, b)
    if anchors.isEmpty { return replace(a, b) }
    var (start, other) = (a.lowerBound, b.lowerBound)
    for (line, place) in anchors {
      compare(start..<line, other..<place, isPart: true)
      (start, other) = (line + 1, place + 1)
    }
    compare(start..<a.upperBound, other..<b.upperBound, isPart: true)
  }

  /// Marks the lines of the shortest difference; false if it has more lines than that.
  private mutating func markShortest(_ a: Range<Int>, _ b: Range<Int>, _ most: Int) -> Bool {
    let (height, width) = (a.count, b.count)
    if abs(height - width) > most { return false }
    // For each number of edits the line of `a` that each diagonal has reached, from -edits to edits, every second.
    var reached: [Int32] = []
    for edits in 0...most {
      let row = edits * (edits - 1) / 2
      for diagonal in stride(from: -edits, through: edits, by: 2) {
        var line = edits == 0 ? 0 : Self.step(reached, row, edits, diagonal, height, width).line
        if line >= 0 {
          let start = line
          while line < height, line - diagonal < width,
            old[a.lowerBound + line] == new[b.lowerBound + line - diagonal]
          {
            line += 1
          }
          left -= line - start + 1
        }
        reached.append(Int32(truncatingIfNeeded: line))
        if line == height, diagonal == height - width {
          mark(reached, edits, a, b)
          return true
        }
      }
      if left < 0 { return false }
    }
    return false
  }

  /// Where a diagonal begins after one edit more, and whether that adds a line; -1 where it leaves the texts.
  private static func step(
    _ reached: [Int32], _ row: Int, _ edits: Int, _ diagonal: Int, _ height: Int, _ width: Int
  ) -> (line: Int, isAddition: Bool) {
    let place = (diagonal + edits) / 2
    let above = place > 0 ? Int(reached[row + place - 1]) : -1
    let removal = above >= 0 && above < height ? above + 1 : -1
    let beside = place < edits ? Int(reached[row + place]) : -1
    let addition = beside >= 0 && beside - diagonal <= width ? beside : -1
    return addition > removal ? (addition, true) : (removal, false)
  }

  private mutating func mark(_ reached: [Int32], _ edits: Int, _ a: Range<Int>, _ b: Range<Int>) {
    var diagonal = a.count - b.count
    for edits in stride(from: edits, to: 0, by: -1) {
      let row = edits * (edits - 1) / 2
      let (line, isAddition) = Self.step(reached, row, edits, diagonal, a.count, b.count)
      if isAddition {
        isAdded[b.lowerBound + line - diagonal - 1] = true
        diagonal += 1
      } else {
        isRemoved[a.lowerBound + line - 1] = true
        diagonal -= 1
      }
    }
  }

  /// Lines that occur once on either side, as many as have the same order on both.
  private func anchors(_ a: Range<Int>, _ b: Range<Int>) -> [(Int, Int)] {
    // For each name its only line; -1 for none, -2 for several.
    func places(_ lines: [Int32], _ part: Range<Int>) -> [Int] {
      var places = Array(repeating: -1, count: names)
      for line in part {
        let name = Int(lines[line])
        places[name] = places[name] == -1 ? line : -2
      }
      return places
    }
    let (mine, theirs) = (places(old, a), places(new, b))
    let both = a.compactMap { line -> (Int, Int)? in
      let name = Int(old[line])
      return mine[name] >= 0 && theirs[name] >= 0 ? (line, theirs[name]) : nil
    }
    // The longest rising run: for each length the pair that ends it earliest, and before each pair the one it follows.
    var ends: [Int] = []
    var previous = Array(repeating: -1, count: both.count)
    for (index, pair) in both.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if both[ends[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var run: [(Int, Int)] = []
    var index = ends.last ?? -1
    while index >= 0 {
      run.append(both[index])
      index = previous[index]
    }
    return run.reversed()
  }

  // MARK: - Text

  /// The hunks, without a line break at the end; empty for equal texts.
  var unified: [UInt8] {
    var text: [UInt8] = []
    for hunk in hunks {
      if !text.isEmpty { text.append(lineFeed) }
      let (start, other) = (hunk[0].old.lowerBound, hunk[0].new.lowerBound)
      let lead = min(Self.context, start, other)
      let last = hunk[hunk.count - 1]
      let tail = min(Self.context, before.count - last.old.upperBound, after.count - last.new.upperBound)
      let ranges = (start - lead..<last.old.upperBound + tail, other - lead..<last.new.upperBound + tail)
      text += Array("@@ -\(before.place(of: ranges.0)) +\(after.place(of: ranges.1)) @@".utf8)
      var line = ranges.0.lowerBound
      for change in hunk {
        for same in line..<change.old.lowerBound { append(" ", before, same, &text) }
        for removed in change.old { append("-", before, removed, &text) }
        for added in change.new { append("+", after, added, &text) }
        line = change.old.upperBound
      }
      for same in line..<ranges.0.upperBound { append(" ", before, same, &text) }
    }
    return text
  }

  private func append(_ mark: Unicode.Scalar, _ lines: Lines, _ number: Int, _ text: inout [UInt8]) {
    text.append(lineFeed)
    text.append(UInt8(ascii: mark))
    let line = lines[number]
    let isEnded = line.last == lineFeed
    text.append(contentsOf: isEnded ? ByteView(rebasing: line.dropLast()) : line)
    // Where neither text ends with a line break, it is no difference.
    if !isEnded, before.isEnded != after.isEnded { text += Array("\n\\ No newline at end of file".utf8) }
  }

  /// The changed parts, together where at most the lines of two contexts are between them.
  private var hunks: [[(old: Range<Int>, new: Range<Int>)]] {
    var hunks: [[(old: Range<Int>, new: Range<Int>)]] = []
    var (line, other) = (0, 0)
    func isChanged() -> Bool {
      line < before.count && isRemoved[line] || other < after.count && isAdded[other]
    }
    while line < before.count || other < after.count {
      let (start, place) = (line, other)
      while isChanged() {
        while line < before.count, isRemoved[line] { line += 1 }
        while other < after.count, isAdded[other] { other += 1 }
      }
      if line == start, other == place {
        (line, other) = (line + 1, other + 1)
        continue
      }
      let change = (old: start..<line, new: place..<other)
      if let last = hunks.last?.last, change.old.lowerBound - last.old.upperBound <= 2 * Self.context {
        hunks[hunks.count - 1].append(change)
      } else {
        hunks.append([change])
      }
    }
    return hunks
  }
}

/// The lines of a part of a text, each with its line break.
private struct Lines {
  private let text: ByteView
  /// Where each begins; at last the end of the part.
  private let starts: [Int]
  /// The number of lines of the text before the part.
  private let skipped: Int

  init(_ text: ByteView, _ start: Int, _ end: Int) {
    self.text = text
    var skipped = 0
    var place = 0
    while let next = lineEnd(in: text, from: place, to: start) { (place, skipped) = (next + 1, skipped + 1) }
    self.skipped = skipped
    var starts = [start]
    place = start
    while let next = lineEnd(in: text, from: place, to: end) {
      place = next + 1
      starts.append(place)
    }
    if place < end { starts.append(end) }
    self.starts = starts
  }

  var count: Int { starts.count - 1 }
  /// Whether the text ends with a line break.
  var isEnded: Bool { text.last == lineFeed }
  subscript(_ line: Int) -> ByteView { ByteView(rebasing: text[starts[line]..<starts[line + 1]]) }

  /// As a hunk names some of the lines: the number of the first and how many; of none the line before.
  func place(of lines: Range<Int>) -> String {
    let first = skipped + lines.lowerBound + (lines.isEmpty ? 0 : 1)
    return lines.count == 1 ? "\(first)" : "\(first),\(lines.count)"
  }

  /// Where in two texts the part begins that differs, with its context, and how many bytes before the end it ends.
  static func middle(of first: ByteView, _ second: ByteView) -> (start: Int, end: Int) {
    let most = min(first.count, second.count)
    var start = 0
    while start < most, first[start] == second[start] { start += 1 }
    // A line that may count to either end counts to the beginning, as in the comparison, or the end lacks context.
    let rest = most - start
    var lines = LineDifference.context + 1
    while start > 0 {
      if first[start - 1] == lineFeed { lines -= 1 }
      if lines == 0 { break }
      start -= 1
    }
    var end = 0
    while end < rest, first[first.count - 1 - end] == second[second.count - 1 - end] { end += 1 }
    // The first line may be the rest of one that differs.
    lines = LineDifference.context + 1
    while end > 0, lines > 0 {
      if first[first.count - end] == lineFeed { lines -= 1 }
      end -= 1
    }
    return (start, end)
  }
}

private func lineEnd(in text: ByteView, from start: Int, to end: Int) -> Int? {
  firstPlace(of: lineFeed, in: text, from: start, to: end)
}

private func firstPlace(of byte: UInt8, in text: ByteView, from start: Int, to end: Int) -> Int? {
  guard start < end, let base = text.baseAddress, let found = memchr(base + start, Int32(byte), end - start)
  else { return nil }
  return UnsafeRawPointer(found) - UnsafeRawPointer(base)
}

/// The names of lines: numbers, the same for equal lines.
private struct LineTable {
  private var lines: [(line: ByteView, hash: UInt32)] = []
  /// For each place the name there and one more; 0 for none.
  private var slots: [Int32]

  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    slots = Array(repeating: 0, count: size)
  }

  var count: Int { lines.count }

  mutating func name(of line: ByteView) -> Int32 {
    let hash = hashBytes(line)
    var place = Int(hash) & (slots.count - 1)
    while slots[place] != 0 {
      let name = slots[place] - 1
      let known = lines[Int(name)]
      if known.hash == hash, sameBytes(known.line, line) { return name }
      place = (place + 1) & (slots.count - 1)
    }
    lines.append((line, hash))
    slots[place] = Int32(lines.count)
    return Int32(lines.count - 1)
  }
}
