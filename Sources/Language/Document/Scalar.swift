/// A single value of a document: its text, how it was written, what it means, and where each byte of it stands.
public struct Scalar: Sendable {
  public enum Style: Sendable { case plain, singleQuoted, doubleQuoted, literal, folded }

  /// The text, with values of the environment in their places.
  public let text: String
  /// The text as the file has it, `${NAME}` unreplaced: fit to be printed.
  public let written: String
  public let style: Style
  public let meaning: Meaning
  /// The whole of it in the file, quotes included.
  public let place: Place
  /// The variables of the environment that the text was made with.
  public let variables: [String]
  let map: TextMap
  /// Where the values of variables are in the text, in UTF-8 bytes.
  var insertions: [Range<Int>] = []
  /// Values of the environment in the text that nothing printed may show.
  var secrets: [String] = []

  /// Where a part of the text (in UTF-8 bytes) stands in the file; the whole when it has no place of its own.
  public func place(of range: Range<Int>) -> Place {
    map.count == 0 ? place : Place(place.file, map.file(of: range))
  }

  /// The flaw of the text, as a problem of the file.
  public func problem(_ flaw: Flaw) -> Problem {
    let isWhole = flaw.range.lowerBound <= 0 && flaw.range.upperBound >= map.count
    return Problem(flaw.message, at: isWhole ? place : place(of: flaw.range), hint: flaw.hint)
  }

  /// What a message calls it.
  public var kind: String {
    switch meaning {
    case .null: "null"
    case .boolean(let value): "the boolean \(value)"
    case .integer, .number: "the number \(printable(written))"
    case .string: "the text \(quoted(written))"
    }
  }
}

extension Scalar: CustomStringConvertible {
  public var description: String {
    meaning == .string && (style != .plain || variables.isEmpty) ? quoted(written) : printable(written)
  }
}
