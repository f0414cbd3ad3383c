import Testing
@testable import Language

@Suite struct SkeletonTests {
  func skeleton(_ sources: [String], _ steps: [String], _ sinks: [String]) -> String {
    func specs(_ kinds: [String]) -> [NodeSpec] { kinds.flatMap { toys.named($0) } }
    return Skeleton(name: "x y", sources: specs(sources), steps: specs(steps), sinks: specs(sinks)).text
  }

  @Test("options have the values of the example, and the others are commented out")
  func text() {
    #expect(
      skeleton(["lines"], ["shape", "keep"], ["log"]) == """
        # flow check FILE says whether it is right, flow run FILE runs it, flow docs KIND explains a node.

        name: 'x y'
        description: What this pipeline is for.

        sources:
          input:
            # read lines
            lines:
            # how many polls, or pieces of a file, may wait for the pipeline (integer)
            # buffer: 8
            # what the source does when so many wait: wait itself, or drop the oldest or newest (wait or
            # drop_oldest or drop_newest)
            # when_full: wait

        steps:
          # make it another
          # what it becomes (expression or mapping of expressions)
          - shape: { id: .id, at: '.["a, b"]' }
            # what statistics and messages call the step, and its state goes by (text)
            # name: text
            # how an event that the step fails on is handled (log, stop or { dead_letter: PATH })
            # on_error: log

          # keep some
          - keep:
              # what must hold (expression)
              where: .n > 1

        sinks:
          output:
            # write it down
            log:
              # the file (path template)
              path: out/a.jsonl
              # only events for which this is neither false nor null (expression)
              # when: .type != "removed"
            # how an event that the sink fails on is handled (log, stop or { dead_letter: PATH })
            # on_error: log

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

  @Test("what is commented out is right too")
  func comments() throws {
    let text = skeleton(["api"], ["join", "keep"], ["mail"])
    #expect(text.contains("\n      # bound: 100\n") || text.contains("\n          # bound: 100\n"))
    let all = text.split(separator: "\n").map { line -> String in
      let content = line.drop { $0 == " " }
      // A line such as `# name: value`, where a remark would have blanks before its colon.
      let name = content.dropFirst(2).prefix { $0.isLetter || $0 == "_" }
      let isOption = content.hasPrefix("# ") && content.dropFirst(2 + name.count).hasPrefix(": ")
      if !isOption || ["cron", "time_zone"].contains(name) { return String(line) }
      return String(line.prefix { $0 == " " }) + String(content.dropFirst(2))
    }
    _ = try toyPlan(all.joined(separator: "\n"), environment: ["NAME": "n", "KEY": "k", "API_KEY": "k"])
  }
}
