import Expectations
import Testing
@testable import Language

@Suite struct SkeletonTests {
  func skeleton(_ sources: [String], _ steps: [String], _ sinks: [String]) -> String {
    func specs(_ kinds: [String]) -> [NodeSpec] { kinds.flatMap { toys.named($0) } }
    return Skeleton(name: "x y", sources: specs(sources), steps: specs(steps), sinks: specs(sinks)).text
  }

  @Test("options have the values of the example, and there are no others")
  func text() {
    expect(
      skeleton(["lines"], ["shape", "keep"], ["log"]),
      equals: """
        # flow docs KIND has every option: lines, shape, keep, log.
        name: 'x y'
        sources:
          input:
            lines:
        steps:
          - shape: { id: .id, at: '.["a, b"]' }
          - keep: .n > 1
        sinks:
          output:
            log: out/x-y.jsonl

        """)
  }

  @Test("every pair of nodes gives a pipeline that is right, though no variable is set")
  func pairs() throws {
    let steps = toys.steps.map(\.kind)
    for source in toys.sources.map(\.kind) {
      for sink in toys.sinks.map(\.kind) {
        _ = try toyPlan(skeleton([source, source], steps, [sink, sink, "screen"]))
        for step in steps { _ = try toyPlan(skeleton([source], [step, step], [sink])) }
        _ = try toyPlan(skeleton([source], [], [sink]))
      }
    }
  }
}
