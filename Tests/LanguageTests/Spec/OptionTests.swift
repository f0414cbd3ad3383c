import Expectations
import Testing
@testable import Language

@Suite struct OptionTests {
  func complaints(_ steps: String) -> [String] {
    var reader = PipelineReader(catalog: toys)
    reader.read(
      path: "a.yaml", Array("sources: { a: lines }\nsteps: [ \(steps) ]\nsinks: { out: screen }".utf8))
    return reader.problems.sorted.map { $0.summary() }
  }

  @Test("a misspelt option is reported, and not that the right one is missing")
  func misspelt() {
    expect(
      complaints("keep: { wher: .a }"),
      equals: ["a.yaml:2:18: keep has no option “wher”; did you mean “where”?"])
  }

  @Test("an option that is like none leaves the missing one missing")
  func unlike() {
    expect(
      complaints("keep: { color: .a }"),
      equals: [
        "a.yaml:2:16: keep needs the option “where”: what must hold; for example where: .",
        "a.yaml:2:18: keep has no option “color”; it has “where”",
      ])
  }
}
