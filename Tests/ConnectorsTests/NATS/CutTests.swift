import Expectations
import AllNodes
@testable import Connectors
import Engine
import Language
import Testing

/// Where a pipeline is cut at its partition, so that each task below is one of a cluster.
@Suite struct CutTests {
  private func cut(_ yaml: String) throws -> (above: Plan?, below: [Plan])? {
    var reader = PipelineReader(catalog: .all)
    reader.read(path: "p.yaml", Array("name: p\n\(yaml)".utf8))
    let plan = try #require(reader.plans.first, "\(reader.problems)")
    let packs = PackStream(stream: "PACKS", subject: "pack.p", servers: ["nats://localhost"])
    return plan.splitAtPartition(sink: { packs.sink(by: $0, into: $1) }, source: { packs.source(of: $0) })
  }

  private let stream = "sources: { in: { nats: IN } }"
  private let sink = "sinks: { out: { nats: out } }"

  @Test("the steps above stay together, each task below has the others with all sinks")
  func parts() throws {
    let (above, below) = try #require(
      try cut(
        """
        \(stream)
        steps: [filter: .ok, partition: { by: .id, into: 3 }, dedupe: .id, map: .name]
        sinks: { out: { nats: out }, run: { exec: [cat] } }
        """))
    let top = try #require(above)
    #expect(top.name == "p" && top.sources.map(\.name) == ["in"])
    expect(top.streams.map { $0.steps.map(\.name) }, equals: [["filter"]])
    #expect(top.sinks.map(\.spec.kind) == ["packs"] && top.hasState)
    expect(below.map(\.name), equals: ["p~0", "p~1", "p~2"])
    for plan in below {
      #expect(plan.sources.map(\.name) == ["partition"] && plan.hasState)
      expect(plan.streams.map { $0.steps.map(\.name) }, equals: [["dedupe", "map"]])
      expect(plan.sinks.map(\.name), equals: ["out", "run"])
    }
  }

  @Test("nothing is above tasks that read their parts of the source by themselves", arguments: [true, false])
  func ownParts(isAlone: Bool) throws {
    let source = "sources: { in: { nats: { stream: IN, subject: in.*, partition_by: token 2 } } }"
    let first = isAlone ? "filter: .ok, map: { id: .id }" : "sort: .n"
    let (above, below) = try #require(
      try cut("\(source)\nsteps: [\(first), partition: { by: .id, into: 3 }, dedupe: .id]\n\(sink)"))
    #expect((above == nil) == isAlone)
    expect(below.map(\.name), equals: ["p~0", "p~1", "p~2"])
    expect(
      below.map { $0.sources.map(\.name) }, equals: Array(repeating: [isAlone ? "in" : "partition"], count: 3)
    )
    expect(
      below[2].streams.map { $0.steps.map(\.name) },
      equals: [isAlone ? ["filter", "map", "dedupe"] : ["dedupe"]])
  }

  @Test("partition_by where nothing is divided by it is a warning")
  func vain() throws {
    for steps in ["dedupe: .id", "sort: .n, partition: { by: .id, into: 3 }, dedupe: .id"] {
      var reader = PipelineReader(catalog: .all)
      let source = "sources: { in: { nats: { stream: IN, subject: in.*, partition_by: token 2 } } }"
      reader.read(path: "p.yaml", Array("name: p\n\(source)\nsteps: [\(steps)]\n\(sink)".utf8))
      expect(reader.plans.count, equals: 1)
      #expect("\(reader.problems.warnings)".contains("so it is read as one"), "\(reader.problems.warnings)")
    }
  }

  @Test("a pipeline stays whole where its tasks must know of each other, or more than one chain meets there")
  func whole() throws {
    let polled = "sources: { in: { http: 'http://localhost/', every: 5m } }"
    let divided = "steps: [partition: { by: .id, into: 2 }, changes: { key: .id }]"
    #expect(try cut("\(stream)\n\(divided)\n\(sink)") != nil)
    try expectNil(cut("\(polled)\n\(divided)\n\(sink)"))
    #expect(
      try cut(
        "\(polled)\nsteps: [partition: { by: .id, into: 2 }, changes: { key: .id, sudden_loss: off }]\n\(sink)"
      ) != nil)
    try expectNil(
      cut("\(stream)\nsteps: [partition: { by: .id, into: 2, order: source }, dedupe: .id]\n\(sink)"))
    try expectNil(cut("\(stream)\nsteps: [dedupe: .id]\n\(sink)"))
    try expectNil(
      cut(
        """
        \(stream)
        streams:
          a: { from: in, steps: [partition: { by: .id, into: 2 }, dedupe: .id] }
          b: { from: a, steps: [take: 5] }
        sinks: { out: { nats: out, from: b } }
        """))
    try expectNil(
      cut(
        "\(stream)\nsteps: [partition: { by: .id, into: 2 }, dedupe: .id]\nsinks: { out: { nats: out, from: [steps, in] } }"
      ))
  }
}
