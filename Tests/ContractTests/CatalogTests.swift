import Expectations
import AllNodes
import Engine
import Language
import Testing

/// What holds for the declarations of all nodes there are.
@Suite struct CatalogTests {
  func problems(_ sources: [NodeSpec], _ steps: [NodeSpec], _ sinks: [NodeSpec]) -> String {
    var reader = PipelineReader(catalog: .all)
    let text = Skeleton(name: "new", sources: sources, steps: steps, sinks: sinks).text
    let isRight = reader.read(path: "new.yaml", Array(text.utf8))
    return isRight ? "" : "\(reader.problems)\n\(text)"
  }

  @Test("a skeleton of any nodes is right as it is")
  func skeletons() throws {
    let (sources, steps, sinks) = (Catalog.all.sources, Catalog.all.steps, Catalog.all.sinks)
    let source = try #require(sources.first)
    let sink = try #require(sinks.first)
    for one in sources { expect(problems([one], [], [sink]), equals: "") }
    for one in sinks { expect(problems([source], [], [one, one]), equals: "") }
    for one in steps {
      for other in steps { expect(problems([source], [one, other], [sink]), equals: "") }
    }
    for one in sources {
      for other in sinks { expect(problems([one, one], Array(steps.prefix(1)), [other, sink]), equals: "") }
    }
  }

  @Test("kinds and names of options are words with underscores, and summaries fit into a list")
  func words() {
    func isWord(_ text: String) -> Bool { text.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil }
    for spec in Catalog.all.nodes {
      #expect(isWord(spec.kind))
      #expect(!spec.summary.isEmpty && !spec.summary.hasSuffix("."), "\(spec.kind)")
      for option in spec.innerOptions + spec.besideOptions {
        let isSentence = option.doc.isEmpty || option.doc.hasSuffix(".")
        #expect(isWord(option.name) && !isSentence, "\(spec.kind): \(option.name)")
      }
      expect(Set(spec.innerOptions.map(\.name)).count, equals: spec.innerOptions.count, "\(spec.kind)")
    }
  }
}
