import Expectations
import Testing
@testable import Language

@Suite struct NodeReferenceTests {
  private let reference = NodeReference(
    Array(
      #"""
      The first paragraph is
      wrapped.

          {"as": "it is"}

      {{how}} Then more.

      ```examples
      # of two lines
      keep:
        where: .n > 1
      < 0s 1
      < 1s 2
      other < 2s 3
      web < https://example.org/ 4
      > 1s 2
      # alone
      keep: false
      ```

      """#.utf8), sharing: ["how": "Shared."])

  @Test("paragraphs are joined lines, with what nodes share, and code as it stands")
  func details() {
    expect(
      reference.details,
      equals: "The first paragraph is wrapped.\n\n    {\"as\": \"it is\"}\n\nShared. Then more.")
  }

  @Test("an example has a title, the node, and lines by their marks")
  func examples() throws {
    expect(reference.examples.map(\.title), equals: ["of two lines", "alone"])
    let first = try #require(reference.examples.first)
    expect(first.yaml, equals: "keep:\n  where: .n > 1")
    expect(first.input, equals: "0s 1\n1s 2")
    expect(first.output, equals: "1s 2")
    expect(first.other, equals: "2s 3")
    expect(first.web, equals: "https://example.org/ 4")
    expect(reference.examples.last?.yaml, equals: "keep: false")
  }
}
