/// A live region: the last lines of a terminal, redrawn in place, for a progress display or a live table.
///
///     var region = LiveRegion()
///     write(region.redraw(["poll 1"], rows: 24, columns: 80))
///     write(region.redraw(["poll 2"], rows: 24, columns: 80))  // stands where "poll 1" stood
///
/// It only returns what to write; between two drawings nothing else may be written to the terminal, except after
/// `erase`. The cursor rests at the start of the line below the region. Lines may be styled, and must be
/// printable otherwise.
public struct LiveRegion: Sendable {
  /// The columns of the lines that stand on the terminal now.
  private var widths: [Int] = []

  /// The lines that stand on the terminal now.
  public var height: Int { widths.count }

  public init() {}

  // Terminals that know this show nothing until it is over; the others pass over it.
  private static let begin = "\u{1B}[?2026h"
  private static let end = "\u{1B}[?2026l"

  /// Draws the lines where the last ones stood; of more than there is room for, the last says how many.
  public mutating func redraw(_ lines: [String], rows: Int, columns: Int) -> String {
    let shown = LiveRegion.fitted(lines, rows: rows)
    let former = self.rows(columns)
    var text = LiveRegion.begin + home(rows, columns)
    for line in shown { text += "\u{1B}[2K" + line.clippedStyled(to: columns) + "\r\n" }
    if shown.count < former { text += "\u{1B}[J" }
    widths = shown.map { min($0.styledColumns, columns) }
    return text + LiveRegion.end
  }

  /// Takes the lines away, so that others can be written where they stood.
  public mutating func erase(rows: Int, columns: Int) -> String {
    guard height > 0 else { return "" }
    let text = home(rows, columns) + "\u{1B}[J"
    forget()
    return text
  }

  /// Leaves the lines where they stand: what others have written is below them.
  public mutating func forget() { widths = [] }

  /// The rows that the lines take: a terminal that has become narrower has wrapped them.
  private func rows(_ columns: Int) -> Int {
    widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / max(1, columns)) }
  }

  /// Moves to where the region begins; what has scrolled out above cannot be reached.
  private func home(_ rows: Int, _ columns: Int) -> String {
    let up = min(self.rows(columns), max(0, rows - 1))
    return up > 0 ? "\r\u{1B}[\(up)A" : "\r"
  }

  /// At most a line less than the terminal has, for the cursor.
  static func fitted(_ lines: [String], rows: Int) -> [String] {
    let room = max(1, rows - 1)
    guard lines.count > room else { return lines }
    return Array(lines.prefix(room - 1)) + ["… and \(lines.count - room + 1) more"]
  }
}
