import Glibc
import Engine
import Language

/// Runs the plans whose sources are recordings: in virtual time, one after the other.
struct VirtualRunner {
  let plans: [Plan]
  let options: RunOptions
  let report: RunReport
  let settings: RunSettings

  /// The exit status.
  func run() -> Int32 {
    // SIGUSR1 asks for statistics, which nothing reports in virtual time; it must not end the process.
    signal(SIGUSR1, SIG_IGN)
    var status = ExitStatus.done
    for plan in plans {
      do {
        let isDone = try VirtualRun(plan, options, start: try options.firstPoll(of: plan)).run(finished: {
          run in
          settings.unmatched.report(run, to: options.log)
          if settings.printsStatistics { report.statistics([run]) }
          let status = run.status()
          if status.phase == .completed { report.end(status, hasState: false) }
        })
        if !isDone { status = ExitStatus.failed }
      } catch {
        NodeLog(log: options.log, pipeline: "", node: "").error("\(error)")
        status = ExitStatus.failed
      }
    }
    return status
  }
}

extension RunOptions {
  /// The time of the first recorded poll; now where there is none.
  func firstPoll(of plan: Plan) throws -> Double {
    var first: Double?
    for source in plan.sources {
      guard case .script(_, let make) = self.source(source) ?? source.spec.maker as? Maker else { continue }
      if let answer = try make(source.options).next() { first = min(first ?? answer.at, answer.at) }
    }
    return first ?? world.wallClock()
  }
}
