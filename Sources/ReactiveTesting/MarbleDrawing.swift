import Reactive

/// A drawing of a recorded stream.
///
/// ```
/// let drawing = MarbleDrawing([(Instant(nanoseconds: 2_000_000_000), .next("ab"))])
/// drawing.line  // "--a"
/// drawing.legend  // ["a = ab"]
/// ```
public struct MarbleDrawing: Sendable {
  /// The line: `"-a--(bc)-|"`.
  public let line: String
  /// The meanings of letters, where an element is more than one character long: `["a = [1, 2]"]`.
  public let legend: [String]

  /// Draws events that happened at given times, in steps of `step`, from time zero on.
  ///
  /// An element whose text is one character is drawn as that; others get letters that no element is,
  /// explained in the legend.
  public init<Element: Sendable>(
    _ records: [(time: Instant, event: StreamEvent<Element>)], step: Duration = .seconds(1)
  ) {
    var letters = Letters(besides: Set(records.compactMap { $0.event.element.map { "\($0)" } }))
    var line = ""
    var column = 0
    var index = records.startIndex
    while index < records.endIndex {
      let time = Self.steps(records[index].time, step)
      var marks = ""
      while index < records.endIndex, Self.steps(records[index].time, step) == time {
        marks.append(letters.mark(for: records[index].event))
        index += 1
      }
      line += String(repeating: "-", count: max(0, time - column))
      line += marks.count == 1 ? marks : "(\(marks))"
      column = time + 1
    }
    self.line = line
    legend = letters.legend
  }

  private static func steps(_ time: Instant, _ step: Duration) -> Int {
    Int(time.nanoseconds / max(1, step.nanoseconds))
  }
}

private struct Letters {
  private(set) var legend: [String] = []
  private var known: [String: Character] = [:]
  private var unused: Array<Character>.Iterator

  init(besides texts: Set<String>) {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    unused = letters.filter { !texts.contains(String($0)) }.makeIterator()
  }

  mutating func mark<Element>(for event: StreamEvent<Element>) -> Character {
    switch event {
    case .completed: return "|"
    case .failed: return "#"
    case .next(let element): return letter(for: "\(element)")
    }
  }

  private mutating func letter(for text: String) -> Character {
    if let character = text.first, text.count == 1, !"-|#()".contains(character) { return character }
    if let letter = known[text] { return letter }
    let letter = unused.next() ?? "?"
    known[text] = letter
    legend.append("\(letter) = \(text)")
    return letter
  }
}
