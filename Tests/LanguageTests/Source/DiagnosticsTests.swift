import Expectations
import Testing
@testable import Language

@Suite struct DiagnosticsTests {
  private let file = SourceFile(path: "a.yaml", text: "steps:\n  - filtr: .a\n\tx: 日本 y\n")

  @Test func aProblemShowsItsLine() {
    let problem = Problem(
      "unknown step “filtr”", at: SourceRange(file, 11..<16), hint: "did you mean “filter”?")
    expect(
      problem.description,
      equals: """
        a.yaml:2:5: unknown step “filtr”
            2 |   - filtr: .a
              |     ^^^^^
          hint: did you mean “filter”?
        """)
    expect(problem.summary(), equals: "a.yaml:2:5: unknown step “filtr”; did you mean “filter”?")
  }

  @Test func caretsStandBelowWideCharactersAndTabs() {
    let place = SourceRange(file, 25..<31)
    #expect(Problem("x", at: place).description.hasSuffix("    3 |  x: 日本 y\n      |     ^^^^"))
  }

  @Test func aLongLineIsCutAroundThePlace() {
    let long = SourceFile(
      path: "b", text: String(repeating: "x", count: 5000) + "HERE" + String(repeating: "y", count: 5000))
    let lines = Problem("m", at: SourceRange(long, 5000..<5004)).description.split(separator: "\n")
    #expect(lines.count == 3 && lines.allSatisfy { $0.count < 120 })
    let start = lines[2].firstIndex(of: "^").map { lines[2].distance(from: lines[2].startIndex, to: $0) } ?? 0
    #expect(lines[1].dropFirst(start).hasPrefix("HERE"))
  }

  @Test func controlCharactersNeverReachATerminal() {
    let evil = SourceFile(path: "a\u{1B}b", text: "\u{1B}[31m\u{202E}x\u{7}")
    let text = Problem("m", at: SourceRange(evil, 2..<3)).description
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
  }

  @Test func secretsAreMasked() {
    var secrets = Secrets()
    secrets.insert("hunter2")
    secrets.insert("abc")
    let secret = SourceFile(path: "a", text: "key: hunter2 abc\n")
    let text = Problem("bad “hunter2”", at: SourceRange(secret, 13..<16)).description(masking: secrets)
    expect(text, equals: "a:1:14: bad “***”\n    1 | key: ******* abc\n      |              ^^^")
  }

  @Test func problemsAreSortedAndToldOnce() {
    var problems = Problems()
    problems.report("b", at: SourceRange(file, 9..<10))
    problems.report("a", at: SourceRange(file, 0..<1))
    problems.report("b", at: SourceRange(file, 9..<10))
    expect(problems.sorted.map(\.message), equals: ["a", "b"])
    for index in 0..<500 { problems.report("m\(index)", at: SourceRange(file, 0..<1)) }
    expect(problems.count, equals: 502)
    #expect(problems.description.hasSuffix("… and 302 more"))
  }
}
