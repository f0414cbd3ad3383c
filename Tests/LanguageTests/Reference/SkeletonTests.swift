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
        # Check it with flow check FILE and run it with flow run FILE; flow docs KIND documents a node.

        name: 'x y'
        description: What this pipeline is for.

        sources:
          input:
            # read lines
            lines:
            # how many polls, or chunks of a file, may be queued for the pipeline (integer)
            # buffer: 8
            # what to do when the queue is full: wait, or drop the oldest or newest (wait or drop_oldest or
            # drop_newest)
            # when_full: wait

        steps:
          # make it another
          # what it becomes (expression or mapping of expressions)
          - shape: { id: .id, at: '.["a, b"]' }
            # its name in statistics, messages and state (text)
            # name: text
            # how to handle events on which the step fails (log, stop or { dead_letter: PATH })
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
              path: out/x-y.jsonl
              # write only events for which this is neither false nor null (expression)
              # when: .type != "removed"
            # how to handle events on which the sink fails (log, stop or { dead_letter: PATH })
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
