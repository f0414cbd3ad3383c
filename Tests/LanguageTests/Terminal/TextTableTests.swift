import Expectations
import Testing

@testable import Language

@Suite struct TextTableTests {
  private func table(_ rows: [[String]], headers: [String] = []) -> TextTable {
    var table = TextTable(headers: headers)
    for row in rows { table.add(row) }
    return table
  }

  @Test("columns are as wide as what is in them, numbers to the right")
  func columns() {
    let table = table(
      [["Falcon 9", "12", "日本"], ["Electron", "3.5", ""], ["x", "", "y"]],
      headers: ["name", "count", "where"])
    expect(
      table.lines(width: 80),
      equals: [
        "name      count  where", "Falcon 9     12  日本", "Electron    3.5", "x                y",
      ])
  }

  @Test("the widest columns give way first")
  func shrinking() {
    let long = String(repeating: "x", count: 40)
    let lines = table([["id", long, "short", long]]).lines(width: 40)
    expect(lines, equals: ["id  xxxxxxxxxxxxx…  short  xxxxxxxxxxxx…"])
    expect(TextTable.fitted([2, 40, 5, 40], to: 34), equals: [2, 14, 5, 13])
    expect(TextTable.fitted([2, 40], to: 50), equals: [2, 40])
    expect(TextTable.fitted([9, 9, 9], to: 3), equals: [4, 4, 4])
  }

  @Test("no line is wider than the terminal, however narrow")
  func neverTooWide() {
    let table = table(
      [["日本語テキスト", "abcdefgh", "12345678"], ["e\u{301}", "", "-1"]], headers: ["a", "b", "c"])
    for width in 0...40 {
      for line in table.lines(width: width) { #expect(line.columns <= width) }
    }
  }

  @Test("for another program cells are whole, with a tab between them")
  func plain() {
    let table = table([["a\tb\n", String(repeating: "x", count: 300)]], headers: ["name", "text"])
    expect(table.plainLines, equals: ["name\ttext", "a\\tb\\n\t" + String(repeating: "x", count: 300)])
  }

  @Test("a row has its style, and nothing a cell holds reaches the terminal raw")
  func styles() {
    var table = TextTable()
    table.add(["late\u{1B}[2J", "x"], style: .red)
    expect(table.lines(width: 80, paint: Paint(isOn: true)), equals: ["\u{1B}[31mlate\\u001b[2J  x\u{1B}[0m"])
    #expect(TextTable().lines(width: 80).isEmpty && TextTable().isEmpty)
  }

  @Test("rows may have fewer cells than others")
  func ragged() {
    expect(
      table([["a"], ["b", "c", "1"]], headers: ["x", "y"]).lines(width: 9), equals: ["x  y", "a", "b  c  1"])
  }

  private func launches() -> TextTable {
    var table = TextTable(headers: ["When", "Name", "Status", "Provider", "Known", "Map"], fit: .keepLeading)
    let long = "Falcon 9 Block 5 | Harbour Resupply 1001"
    table.add(
      ["2026-01-01 10:58", long, "Go", "Mitsubishi Heavy Industries", "", "map"], links: [5: "https://m"])
    return table
  }

  @Test("the two leading columns keep their width longest, and empty ones are hidden")
  func leading() {
    let (wide, none) = launches().drawn(width: 120)
    expect(
      wide[0],
      equals:
        "When              Name                                      Status  Provider                     Map"
    )
    #expect(none.isEmpty)
    let (lines, hidden) = launches().drawn(width: 80)
    expect(
      lines[1], equals: "2026-01-01 10:58  Falcon 9 Block 5 | Harbour Resupply 10…  Go      Mitsubi…  map")
    #expect(hidden.isEmpty)
    let (narrow, left) = launches().drawn(width: 40)
    expect(narrow[1], equals: "2026-01-01 10:58  Falcon 9 Block 5 | Ha…")
    expect(left, equals: ["Status", "Provider", "Map"])
    for width in 0...130 {
      for line in launches().lines(width: width) { #expect(line.columns <= width, "\(width): \(line)") }
    }
  }

  @Test("a link takes no more room than its text, also where it is cut")
  func links() {
    let paint = Paint(isOn: true)
    let link = paint.link("map of m", to: "https://m.org/m")
    expect(link, equals: "\u{1B}]8;;https://m.org/m\u{1B}\\map of m\u{1B}]8;;\u{1B}\\")
    expect(link.clippedStyled(to: 8), equals: link)
    expect(
      link.clippedStyled(to: 4), equals: "\u{1B}]8;;https://m.org/m\u{1B}\\map…\u{1B}]8;;\u{1B}\\\u{1B}[0m")
    #expect(
      paint.link("x", to: "https://m.org/\u{1B}\\") == "x" && Paint.off.link("x", to: "https://m") == "x")
    #expect(launches().lines(width: 80, paint: paint)[1].hasSuffix(paint.link("map", to: "https://m")))
  }
}
