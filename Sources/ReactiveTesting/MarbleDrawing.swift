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
    var letters = MarbleLetters<String>(besides: Set(records.compactMap { $0.event.element.map { "\($0)" } }))
    var line = ""
    var column = 0
    var index = records.startIndex
    while index < records.endIndex {
      let time = Self.steps(records[index].time, step)
      var marks = ""
      while index < records.endIndex, Self.steps(records[index].time, step) == time {
        marks.append(Self.mark(records[index].event, &letters))
        index += 1
      }
      line += String(repeating: "-", count: max(0, time - column))
      line += marks.count == 1 ? marks : "(\(marks))"
      column = time + 1
    }
    self.line = line
    legend = letters.meanings.map { "\($0.letter) = \($0.element)" }
  }

  private static func mark<Element>(
    _ event: StreamEvent<Element>, _ letters: inout MarbleLetters<String>
  ) -> Character {
    switch event {
    case .completed: return "|"
    case .failed: return "#"
    case .next(let element):
      let text = "\(element)"
      if let mark = text.first, text.count == 1, !"-|#()".contains(mark) { return mark }
      return letters.letter(for: text)
    }
  }

  private static func steps(_ time: Instant, _ step: Duration) -> Int {
    Int(time.nanoseconds / max(1, step.nanoseconds))
  }
}
