import Reactive

/// A stream drawn as text: `"-a--(bc)-|"`.
///
/// One character is one step in time: `-` nothing happens, `|` the stream completes, `#` it fails, any other character
/// is an element. What is in parentheses happens in one step.
/// ```
/// let marbles = try Marbles("-a-(b|)")
/// marbles.steps.map(\.time)  // [1, 3]
/// ```
public struct Marbles: Sendable {
  /// The events in one step of time.
  public struct Step: Sendable {
    /// How many steps there are before it.
    public let time: Int
    /// The events, in order; an element is its mark.
    public let events: [StreamEvent<Character>]
  }

  /// The steps in which something happens.
  public let steps: [Step]
  /// How many steps the drawing is long.
  public let length: Int

  /// Reads a drawing.
  public init(_ text: String) throws(MarbleError) {
    var steps: [Step] = []
    var group: [StreamEvent<Character>]?
    var time = 0
    var ended = false
    for (column, character) in text.enumerated() {
      switch character {
      case "(":
        if group != nil { throw MarbleError(text, column, "a group inside a group") }
        group = []
        continue
      case ")":
        guard let events = group else { throw MarbleError(text, column, "no group is open here") }
        steps.append(Step(time: time, events: events))
        group = nil
      case "-":
        if group != nil { throw MarbleError(text, column, "time cannot pass inside a group") }
      default:
        if ended { throw MarbleError(text, column, "nothing can follow the end") }
        let event = Self.event(character)
        ended = event.isTerminal
        if group == nil { steps.append(Step(time: time, events: [event])) } else { group?.append(event) }
      }
      if group == nil { time += 1 }
    }
    if group != nil { throw MarbleError(text, text.count, "the group is not closed") }
    self.steps = steps
    length = time
  }

  private static func event(_ character: Character) -> StreamEvent<Character> {
    switch character {
    case "|": .completed
    case "#": .failed(MarbleFailure())
    default: .next(character)
    }
  }
}

/// The error of `#`.
public struct MarbleFailure: Error, Equatable {
  /// Makes one, to be compared with.
  public init() {}
}

/// An error in a drawing, with its column.
public struct MarbleError: Error, CustomStringConvertible {
  /// The drawing.
  public let text: String
  /// Where it is wrong, counted from zero.
  public let column: Int
  /// The flaw, in a few words.
  public let what: String

  init(_ text: String, _ column: Int, _ what: String) {
    self.text = text
    self.column = column
    self.what = what
  }

  /// The flaw, with the drawing and a mark below the column.
  public var description: String {
    "\(what), in column \(column + 1)\n  \(text)\n  \(String(repeating: " ", count: column))^"
  }
}
