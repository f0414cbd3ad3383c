import Expectations
import Foundation
import Testing

/// `flow check` of the mistakes in the files of `Mistakes`: the file, all that is printed, and the exit code.
@Suite("flow check of a table of mistakes")
struct MistakeTableTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let title: String
    let yaml: String
    let status: Int32
    let printed: String

    var testDescription: String { title }
  }

  /// Reads a table: a title, then for each mistake `=== TITLE`, the pipeline, `--- EXIT CODE`, and what is printed.
  private static func read(_ table: String) -> [Mistake] {
    table.components(separatedBy: "\n=== ").dropFirst().map { entry in
      let lines = entry.components(separatedBy: "\n")
      let end = lines.firstIndex { $0.hasPrefix("--- ") } ?? 1
      func text(_ lines: ArraySlice<String>) -> String { lines.map { $0 + "\n" }.joined() }
      return Mistake(
        title: lines[0], yaml: text(lines[1..<end]), status: Int32(lines[end].dropFirst(4)) ?? -1,
        printed: text(lines[(end + 1)...]))
    }
  }

  private static let folder = ShippedPipelinesTests.root + "/Tests/FlowTests/Mistakes"

  static let mistakes = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    .compactMap {
      try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8).trimmingCharacters(in: .newlines)
    }
    .flatMap(read)

  @Test("of each one, as it is printed", arguments: mistakes)
  func mistake(_ mistake: Mistake) throws {
    let outcome = try Workplace(mistake.yaml).flow("check", "p.yaml")
    expect(outcome.errors + outcome.output, equals: mistake.printed)
    expect(outcome.status, equals: mistake.status)
  }

  @Test("has one entry for each title") func titles() {
    expect(Set(Self.mistakes.map(\.title)).count, equals: Self.mistakes.count)
    #expect(Self.mistakes.count >= 150)
  }
}
