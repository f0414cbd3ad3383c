import Expectations
import Testing

@testable import Language

@Suite struct SourceFileTests {
  @Test func linesAndColumnsCountFromOne() {
    let file = SourceFile(path: "a", text: "é1\r\nb\rc\n")
    expect(file.lineCount, equals: 4)
    let positions = [0, 2, 3, 5, 7, 9, 99, -1].map { file.position(of: $0).description }
    expect(positions, equals: ["1:1", "1:2", "1:3", "2:1", "3:1", "4:1", "4:1", "1:1"])
    expect(file.range(ofLine: 1), equals: 0..<3)
    expect(file.range(ofLine: 9), equals: 9..<9)
    expect(SourceFile(path: "a", text: "").position(of: 0).description, equals: "1:1")
  }

  @Test func placesAreCutToTheFile() {
    let file = SourceFile(path: "a", text: "abc")
    expect(SourceRange(file, 2..<99).range, equals: 2..<3)
    expect(SourceRange(file, 7..<9).range, equals: 3..<3)
    expect(SourceRange(file, 0..<1).description, equals: "a:1:1")
  }
}
