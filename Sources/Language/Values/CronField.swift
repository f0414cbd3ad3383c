/// One of the five fields of a cron expression, as the set of numbers that it allows.
struct CronField: Hashable, Sendable {
  /// What a field may hold.
  struct Kind: Sendable {
    let name: String
    let range: ClosedRange<Int>
    var names: [String] = []

    static let minute = Kind(name: "minute", range: 0...59)
    static let hour = Kind(name: "hour", range: 0...23)
    static let day = Kind(name: "day of the month", range: 1...31)
    static let month = Kind(
      name: "month", range: 1...12,
      names: ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])
    /// Sunday is 0 and 7.
    static let weekday = Kind(
      name: "day of the week", range: 0...7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"])
  }

  private var bits: UInt64 = 0
  /// Whether it is written with a star: it leaves the choice to the other fields.
  private(set) var isStar = false

  func contains(_ number: Int) -> Bool { bits & (1 << UInt64(number)) != 0 }

  /// Reads a field that begins at byte `start` of the expression.
  init(_ text: Substring, _ kind: Kind, at start: Int) throws(TextError) {
    isStar = text.hasPrefix("*")
    var offset = start
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      try add(item, kind, at: offset)
      offset += item.utf8.count + 1
    }
    if kind.range.upperBound == 7, contains(7) { bits = (bits | 1) & ~(1 << 7) }
  }

  private mutating func add(_ item: Substring, _ kind: Kind, at start: Int) throws(TextError) {
    let whole = start..<start + item.utf8.count
    let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let span = parts[0]
    var step = 1
    if parts.count == 2 {
      guard let number = Int(parts[1]), number > 0, number <= 60, !parts[1].hasPrefix("+") else {
        throw TextError(
          "\(quoted(String(parts[1]))) is no step", at: whole, hint: "a step is a number, as in */15")
      }
      step = number
    }
    var low = kind.range.lowerBound
    // In the week Sunday is the first day; as 7 it would make every step that ends there count it twice.
    var high = kind.range.upperBound == 7 ? 6 : kind.range.upperBound
    if span != "*" {
      let ends = span.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      low = try number(ends[0], kind, at: whole)
      if ends.count == 2 {
        high = try number(ends[1], kind, at: whole)
        // The week may be said to end with its Sunday.
        if kind.range.upperBound == 7, high == 0, low > 0 { high = 7 }
        guard low <= high else {
          throw TextError(
            "the range \(quoted(String(span))) runs backwards", at: whole,
            hint: "write it as two, as in \(low)-\(kind.range.upperBound),\(kind.range.lowerBound)-\(high)")
        }
      } else if parts.count == 1 {
        high = low
      }
    }
    for value in stride(from: low, through: max(low, high), by: step) { bits |= 1 << UInt64(value) }
  }

  private func number(_ text: Substring, _ kind: Kind, at place: Range<Int>) throws(TextError) -> Int {
    let allowed = "\(kind.range.lowerBound) to \(kind.range.upperBound)"
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      if let number = Int(text), kind.range.contains(number) { return number }
      throw TextError(
        "\(quoted(String(text))) is no \(kind.name)", at: place, hint: "it goes from \(allowed)")
    }
    if let index = kind.names.firstIndex(of: text.lowercased()), !text.isEmpty { return index }
    let message =
      text.isEmpty ? "a \(kind.name) is missing here" : "\(quoted(String(text))) is no \(kind.name)"
    if let letter = text.first, "?LW#".contains(letter) || text.contains("#") {
      throw TextError(message, at: place, hint: "?, L, W and # are not understood here; write * or numbers")
    }
    let names = kind.names.filter { !$0.isEmpty }
    throw TextError(
      message, at: place,
      hint: nearest(to: String(text), among: names).map { "did you mean \(quoted($0))?" }
        ?? "it goes from \(allowed)\(names.isEmpty ? "" : ", or by its name as in \(names[1])")")
  }
}
