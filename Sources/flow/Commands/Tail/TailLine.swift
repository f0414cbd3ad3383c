import JSON
import Engine
import Language

/// An entry as shown by `flow tail`: on one line, or one line per field if they do not fit.
///
///     2026-01-01 06:00:00  ~ changed  Falcon 9 | Starlink  net: 2026-01-02 → 2026-01-03
struct TailLine {
  let time: TailTime
  let paint: Paint
  /// The width of the terminal; nil if there is none, so that nothing is clipped or broken.
  var width: Int?

  /// The most fields of one change shown on a terminal; further ones are counted.
  static let mostFields = 20
  /// The most lines shown of the difference of two texts.
  static let mostLines = 40
  private static let indent = "    "
  private static let arrow = " → "

  func lines(_ entry: TailEntry) -> [String] {
    switch entry.meaning {
    case .change(let change): lines(change)
    case .other(let value): [printable(value.description)]
    case .noJSON: [paint(printable(String(decoding: entry.bytes, as: UTF8.self)) + cut(entry), .dim)]
    }
  }

  private func cut(_ entry: TailEntry) -> String {
    entry.isCut ? " … (the line is longer than \(LogLine.mostBytes) bytes; the rest is not shown)" : ""
  }

  private func lines(_ change: Change) -> [String] {
    let head = "\(paint(time.text(change.at).padded(to: time.columns), .dim))  \(label(change.sort))  "
    let name = printable(change.name)
    let fields = change.differences.map(Field.init)
    let tail = fields.map { show($0) }.joined(separator: ", ")
    let whole = head + paint(name, .bold) + (fields.isEmpty ? "" : "  " + tail)
    guard let width, width > 0 else { return [whole] }
    if fields.allSatisfy({ $0.lines == nil }), whole.clippedStyled(to: width) == whole { return [whole] }
    let shown = fields.prefix(TailLine.mostFields).flatMap { field in
      show(field, width).map { (TailLine.indent + $0).clippedStyled(to: width) }
    }
    let more = fields.count - min(fields.count, TailLine.mostFields)
    return [(head + paint(name, .bold)).clippedStyled(to: width)] + shown
      + (more > 0 ? ["\(TailLine.indent)… and \(more) more"] : [])
  }

  private func label(_ sort: Change.Sort) -> String {
    switch sort {
    case .added: paint("+ added", .green) + "  "
    case .changed: paint("~ changed", .yellow)
    case .removed: paint("- removed", .red)
    }
  }

  /// A field's path and its two values, printable.
  private struct Field {
    let place: String
    /// Nil if the field is missing on that side.
    let before, after: String?
    /// The differing lines of texts of several lines.
    let lines: [DifferenceLine]?

    init(_ difference: Difference) {
      place = difference.path.steps.isEmpty ? "" : printable(difference.path.steps.joined(separator: "."))
      before = difference.before.map(Field.text)
      after = difference.after.map(Field.text)
      lines = difference.lines?.string.flatMap(DifferenceLine.lines)
    }

    /// A string without quotes, unless it would look like something else.
    private static func text(_ value: Value) -> String {
      guard let text = value.string else { return printable(value.description) }
      let isPlain =
        !text.isEmpty && text.first != " " && text.last != " " && (try? Value.parse(text)) == nil
      return printable(isPlain ? text : value.description)
    }
  }

  /// A field on a terminal: on one line, or with the lines in which its texts differ.
  private func show(_ field: Field, _ width: Int) -> [String] {
    guard let lines = field.lines else { return [show(field, width: width - TailLine.indent.count)] }
    let more = lines.count - TailLine.mostLines
    return (field.place.isEmpty ? [] : [field.place + ":"])
      + lines.prefix(TailLine.mostLines).map { paint(printable($0.text), $0.style ?? .plain) }
      + (more > 0 ? ["… and \(more) more lines"] : [])
  }

  /// A field with both values whole, or clipped so that each has its part of the width.
  private func show(_ field: Field, width: Int = .max) -> String {
    let none = "(none)"
    var (before, after) = (field.before ?? none, field.after ?? none)
    let start = field.place.isEmpty ? "" : "\(field.place.clipped(to: max(8, width / 2))): "
    if width < .max {
      let room = width - start.columns - TailLine.arrow.columns
      (before, after) = TailLine.clipped(before, after, to: room)
    }
    return start + paint(before, field.before == nil ? .dim : .red) + TailLine.arrow
      + paint(after, field.after == nil ? .dim : .green)
  }

  /// Both values as far as there is room; a value that needs less than half leaves the rest to the other.
  private static func clipped(_ before: String, _ after: String, to room: Int) -> (String, String) {
    let (left, right) = (before.columns, after.columns)
    guard left + right > room else { return (before, after) }
    let half = max(1, room / 2)
    let leftRoom = right < room - half ? room - right : min(left, half)
    return (before.clipped(to: leftRoom), after.clipped(to: max(1, room - min(left, leftRoom))))
  }
}
