import Expectations
import Testing

@testable import Language

@Suite struct LiveRegionTests {
  @Test("the second drawing stands where the first one stood")
  func redrawing() {
    var region = LiveRegion()
    let first = region.redraw(["a", "b"], rows: 24, columns: 80)
    expect(first, equals: "\u{1B}[?2026h\r\u{1B}[2Ka\r\n\u{1B}[2Kb\r\n\u{1B}[?2026l")
    let second = region.redraw(["c"], rows: 24, columns: 80)
    expect(second, equals: "\u{1B}[?2026h\r\u{1B}[2A\u{1B}[2Kc\r\n\u{1B}[J\u{1B}[?2026l")
    expect(region.height, equals: 1)
    expect(region.erase(rows: 24, columns: 80), equals: "\r\u{1B}[1A\u{1B}[J")
    #expect(region.height == 0 && region.erase(rows: 24, columns: 80) == "")
  }

  @Test("a terminal that has become narrower has wrapped the lines; what is forgotten stays")
  func resized() {
    var region = LiveRegion()
    _ = region.redraw([String(repeating: "x", count: 70), "y"], rows: 24, columns: 80)
    // Two rows for the first line, one for the second.
    #expect(region.redraw(["z"], rows: 24, columns: 40).hasPrefix("\u{1B}[?2026h\r\u{1B}[3A\u{1B}[2Kz"))
    region.forget()
    #expect(region.height == 0 && region.erase(rows: 24, columns: 40) == "")
  }

  @Test("there are never more lines than rows, and the rest is counted")
  func rows() {
    let lines = (1...20).map(String.init)
    expect(
      LiveRegion.fitted(lines, rows: 10), equals: ["1", "2", "3", "4", "5", "6", "7", "8", "… and 12 more"])
    expect(LiveRegion.fitted(lines, rows: 21), equals: lines)
    expect(LiveRegion.fitted(lines, rows: 1), equals: ["… and 20 more"])
    expect(LiveRegion.fitted([], rows: 1), equals: [])
  }

  @Test("a screen shows the last drawing alone, whatever came before")
  func onAScreen() {
    var region = LiveRegion()
    var screen = Screen(rows: 6, columns: 10)
    screen.write("$ flow run\r\n")
    var random = SystemRandomNumberGenerator()
    for turn in 0..<200 {
      let count = Int.random(in: 0...9, using: &random)
      let lines = (0..<count).map { "\(turn).\($0)" + String(repeating: "x", count: Int.random(in: 0...20)) }
      screen.write(region.redraw(lines, rows: 6, columns: 10))
      let expected = LiveRegion.fitted(lines, rows: 6).map { $0.clipped(to: 10) }
      expect(screen.lines.prefix(screen.row).suffix(expected.count), equals: expected[...])
      #expect(screen.lines[screen.row...].allSatisfy { $0.isEmpty })
    }
  }
}

/// As much of a terminal as the region needs.
private struct Screen {
  var lines: [String]
  var row = 0
  let columns: Int

  init(rows: Int, columns: Int) {
    lines = Array(repeating: "", count: rows)
    self.columns = columns
  }

  mutating func write(_ text: String) {
    var rest = Substring(text).unicodeScalars
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": break
      case "\n":
        row += 1
        if row == lines.count {
          lines = lines.dropFirst() + [""]
          row -= 1
        }
      case "\u{1B}":
        rest.removeFirst()
        let numbers = rest.prefix { $0.value < 0x40 }
        rest.removeFirst(numbers.count)
        switch rest.removeFirst() {
        case "A": row = max(0, row - (Int(String(numbers)) ?? 1))
        case "K": lines[row] = ""
        case "J": for below in row..<lines.count { lines[below] = "" }
        default: break
        }
      default:
        lines[row].unicodeScalars.append(scalar)
        #expect(lines[row].columns <= columns)
      }
    }
  }
}
