/// The answers of a page's server to programs: metrics, and whether the process and its pipelines work.
///
/// - `/healthz` is 200 while the process answers, whatever its pipelines do.
/// - `/readyz` is 503 while something is wrong with a pipeline.
/// - `/metrics` requires the token where the page does, as the parameter `token`; the other two are open, and say no
///   more than that.
package struct PageProbes: Sendable {
  static let paths: Set<String> = ["/healthz", "/readyz", "/metrics"]

  let metricsType: String
  let metrics: @Sendable () -> String
  /// The problems, a line each.
  let problems: @Sendable () -> [String]

  package init(
    metricsType: String, metrics: @escaping @Sendable () -> String,
    problems: @escaping @Sendable () -> [String]
  ) {
    (self.metricsType, self.metrics, self.problems) = (metricsType, metrics, problems)
  }

  /// The answer at one of the paths; problems are listed where everyone who may ask may know them.
  func answer(at path: String, listsProblems: Bool) -> PageAnswer {
    switch path {
    case "/metrics": return PageAnswer(200, metricsType, Array(metrics().utf8))
    case "/readyz":
      let problems = problems()
      let lines = [problems.isEmpty ? "ready" : "not ready"] + (listsProblems ? problems : [])
      return Self.text(problems.isEmpty ? 200 : 503, lines)
    default: return Self.text(200, ["ok"])
    }
  }

  private static func text(_ status: Int, _ lines: [String]) -> PageAnswer {
    PageAnswer(status, "text/plain; charset=utf-8", Array((lines.joined(separator: "\n") + "\n").utf8))
  }
}
