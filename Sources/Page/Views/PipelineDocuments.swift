import Engine
import Language

/// The documents about pipelines: the list of them, one of them, one of its nodes.
///
/// What changes while they are open are parts with ids: a document contains them, and its updates send them again.
package struct PipelineDocuments: Sendable {
  /// A page, and what it is about.
  package enum Page: Sendable, Equatable {
    case overview
    case pipeline(String)
    case node(String, of: String)

    /// The pipeline that is traced while the page is open.
    var pipeline: String? {
      switch self {
      case .overview: nil
      case .pipeline(let name), .node(_, let name): name
      }
    }

    var live: Link {
      switch self {
      case .overview: Link(path: ["live", "p"])
      case .pipeline(let name): Link(path: ["live", "p", name, ""])
      case .node(let node, let name): Link(path: ["live", "p", name, node])
      }
    }
  }

  package struct Part: Sendable {
    let id: String
    let html: HTML
  }

  let hub: PageHub
  let run: PageRun
  /// The time that distances are counted from; the script counts on.
  ///
  /// It stays the same for all updates of a tab, so that a part differs only where something has changed.
  let now: Double

  init(_ hub: PageHub, _ run: PageRun) {
    (self.hub, self.run, now) = (hub, run, hub.now())
  }

  // MARK: - Parts

  /// The parts of a page; none where its pipeline or node does not exist any more.
  func parts(of page: Page) -> [Part] {
    switch page {
    case .overview:
      let status = run.current
      return [
        part("pipelines") { list(status.pipelines, &$0) }, part("budgets") { budgets(status.budgets, &$0) },
      ]
    case .pipeline(let name):
      guard let pipeline = run.pipeline(name) else { return [] }
      let trace = run.trace(of: pipeline)
      return [
        part("state") { state(pipeline, &$0) }, part("sources") { sources(pipeline, &$0) },
        part("graph") { graph(pipeline, &$0) }, part("lanes") { lanes(pipeline, trace, &$0) },
        part("nodes") { nodes(pipeline, &$0) },
      ]
    case .node(let name, let pipeline):
      guard let pipeline = run.pipeline(pipeline),
        let node = pipeline.nodes.first(where: { $0.name == name })
      else { return [] }
      let trace = run.trace(of: pipeline)
      return [
        part("counters") { counters(node, pipeline, &$0) },
        part("entries") { entries(name, pipeline, &$0) },
        part("dead") { DeadLetterTable(documents: self, node: node, pipeline: pipeline).write(&$0) },
        part("repeated") { RepeatedTable(documents: self, node: node, pipeline: pipeline).write(&$0) },
        part("held") { held(node, pipeline, &$0) },
        part("latest") { latest(name, pipeline, trace, &$0) },
      ]
    }
  }

  private func part(_ id: String, _ content: (inout HTML) -> Void) -> Part {
    var html = HTML()
    html.tag("div", .id(id), content: content)
    return Part(id: id, html: html)
  }

  // MARK: - Documents

  /// The page of a pipeline or node; nil where there is none.
  func document(_ page: Page, _ frame: PageFrame, why key: String? = nil) -> HTML? {
    let parts = parts(of: page)
    if parts.isEmpty { return nil }
    let html = Dictionary(parts.map { ($0.id, $0.html) }) { first, _ in first }
    func add(_ id: String, _ title: String? = nil, to document: inout HTML) {
      guard let part = html[id] else { return }
      if let title { document.tag("h2", .class("part")) { $0.text(title) } }
      document.append(part)
    }
    return frame.document { html in
      switch page {
      case .overview: for part in parts { html.append(part.html) }
      case .pipeline(let name):
        back("Overview", Link(path: []), &html)
        html.tag("h1") { $0.text(name) }
        if let (plan, secrets) = run.monitor.plan(of: name) {
          if !plan.description.isEmpty {
            html.tag("p", .class("sub")) { $0.text(secrets.masked(plan.description)) }
          }
          views(of: name, &html)
          if plan.trace != nil { why(key, of: name, &html) }
        }
        add("state", to: &html)
        add("sources", "Sources", to: &html)
        add("graph", "Graph", to: &html)
        add("lanes", "Timeline", to: &html)
        add("nodes", "Nodes", to: &html)
      case .node(let node, let name):
        back(name, Link(path: ["p", name]), &html)
        html.tag("h1") { $0.text(node) }
        let found = run.monitor.plan(of: name).flatMap { PlannedNode(node, in: $0.plan, masking: $0.secrets) }
        found?.head(&html)
        add("counters", to: &html)
        add("entries", to: &html)
        add("dead", to: &html)
        add("repeated", to: &html)
        add("held", to: &html)
        add("latest", "Latest events", to: &html)
        found?.documentation(&html)
      }
    }
  }

  private func back(_ title: String, _ link: Link, _ html: inout HTML) {
    html.tag("p", .class("back")) { html in html.tag("a", .href(link)) { $0.text("← \(title)") } }
  }

  private func views(of pipeline: String, _ html: inout HTML) {
    let views = hub.views.filter { $0.pipeline == pipeline }
    if views.isEmpty { return }
    html.tag("p", .class("links")) { html in
      for view in views {
        html.tag("a", .class("button"), .href(Link(path: ["v"] + view.path))) { $0.text(view.form.name) }
      }
    }
  }

  /// A form that asks what became of a key, and the answer.
  private func why(_ key: String?, of pipeline: String, _ html: inout HTML) {
    html.tag("form", .class("tools"), .set(.method, "get"), .action(Link(path: ["p", pipeline]))) { html in
      html.void(
        "input", .set(.type, "search"), .set(.name, "why"), .set(.value, key ?? ""),
        .set(.placeholder, "key"),
        .set(.ariaLabel, "key of a row"))
      html.tag("button", .set(.type, "submit")) { $0.text("Why, and why not?") }
    }
    guard let key, !key.isEmpty else { return }
    let lines =
      run.monitor.why(key, of: pipeline) ?? ["\(pipeline) has no trace yet: it is written while it runs."]
    html.tag("div", .class("scroll pad")) { html in
      html.tag("pre", .id("why")) { $0.text(lines.joined(separator: "\n")) }
    }
  }

  // MARK: - Overview

  private func list(_ pipelines: [PipelineStatus], _ html: inout HTML) {
    html.tag("ul", .class("views"), .set(.role, "list")) { html in
      for pipeline in pipelines {
        html.tag("li", .class("card")) { html in
          html.tag("div", .class("what")) { html in
            html.tag("h3") { html in
              html.tag("a", .class("title"), .href(Link(path: ["p", pipeline.name]))) {
                $0.text(pipeline.name)
              }
            }
            word(pipeline, &html)
            for source in pipeline.sources where source.isPolled {
              html.tag("p", .class("sub")) { html in
                html.text("\(source.name): ")
                lastPoll(source, &html)
                if let next = source.nextPoll, !pipeline.phase.isOver {
                  html.text(", next ")
                  until(next, &html)
                }
              }
            }
            problems(pipeline, &html)
          }
        }
      }
    }
  }

  private func budgets(_ budgets: [BudgetStatus], _ html: inout HTML) {
    if budgets.isEmpty { return }
    html.tag("h2", .class("part")) { $0.text("Request budgets") }
    PageTable.write("Request budgets", ["Host", "Left", "Of", "In", "Next request"], &html) { html in
      for budget in budgets {
        PageTable.row(
          budget.host, nil,
          [
            { $0.text(budget.remaining) }, { $0.text(budget.limit) },
            { $0.text(DurationText.format(.seconds(Int(budget.period)))) },
            { html in if let next = budget.next { until(next, &html) } else { html.text("now") } },
          ], &html)
      }
    }
  }

  // MARK: - A pipeline

  /// The state in a word, which does not depend on its colour.
  private func word(_ pipeline: PipelineStatus, _ html: inout HTML) {
    let problems = pipeline.problems.count
    let (tone, symbol, word) =
      switch pipeline.phase {
      case .failed: ("bad", "✕", "failed")
      case .waiting: ("warn", "!", "waiting")
      case .completed, .stopped: ("muted", "○", pipeline.phase.rawValue)
      case .running, .stopping:
        problems > 0
          ? ("warn", "!", problems == 1 ? "1 problem" : "\(problems) problems")
          : ("good", "●", pipeline.phase.rawValue)
      }
    html.tag("span", .class("status \(tone)")) { html in
      html.tag("span", .set(.ariaHidden, "true")) { $0.text(symbol) }
      html.text(" \(word)")
    }
  }

  private func problems(_ pipeline: PipelineStatus, _ html: inout HTML) {
    let problems = pipeline.problems
    if problems.isEmpty { return }
    html.tag("ul", .class("problems")) { html in
      for problem in problems { html.tag("li") { $0.text(problem) } }
    }
  }

  private func state(_ pipeline: PipelineStatus, _ html: inout HTML) {
    html.tag("p", .class("summary")) { html in
      word(pipeline, &html)
      if pipeline.started > 0 {
        html.tag("span") { html in
          html.text("started ")
          ago(pipeline.started, &html)
        }
      }
      html.tag("span") { $0.text(pipeline.path) }
    }
    let holdings = pipeline.holdings
    if !holdings.isEmpty { html.tag("p", .class("sub")) { $0.text(holdings.joined(separator: ", ")) } }
    problems(pipeline, &html)
  }

  private func sources(_ pipeline: PipelineStatus, _ html: inout HTML) {
    if pipeline.sources.isEmpty {
      return html.tag("p", .class("sub")) { $0.text("shown while the pipeline runs") }
    }
    let headings = ["Source", "Last poll", "Rows", "Next poll", "Polls", "Failed", ""]
    PageTable.write("Sources", headings, &html) { html in
      for source in pipeline.sources {
        PageTable.row(
          source.name, Link(path: ["p", pipeline.name, source.name]),
          [
            { lastPoll(source, &$0) },
            { html in
              guard let poll = source.lastPoll else { return }
              html.text(poll.coverage == "complete" ? "\(poll.rows)" : "\(poll.rows), \(poll.coverage)")
            },
            { nextPoll(source, pipeline, &$0) }, { if source.isPolled { $0.text(source.polls) } },
            { if source.isPolled { $0.text(source.failedPolls) } }, { pollNow(source, pipeline, &$0) },
          ], &html)
      }
    }
  }

  private func lastPoll(_ source: SourceStatus, _ html: inout HTML) {
    if source.isPolled {
      if let poll = source.lastPoll { ago(poll.at, &html) } else { html.text("no poll yet") }
    } else if let since = source.connectedSince {
      html.text("connected since ")
      moment(since, &html)
    } else {
      html.text(source.hasEnded ? "read to its end" : "reads as it comes")
    }
    if source.lastPoll?.isStale == true { html.text(", an old copy") }
    if let failure = source.failure {
      html.text(", failing since ")
      moment(failure.since, &html)
      html.text(": \(failure.reason)")
    } else if let since = source.asking, hub.now() - since >= SourceStatus.longAnswer {
      html.text(", no answer yet to the request of ")
      ago(since, &html)
    }
  }

  private func nextPoll(_ source: SourceStatus, _ pipeline: PipelineStatus, _ html: inout HTML) {
    if pipeline.phase.isOver || source.hasEnded { return }
    if let wait = source.wait {
      html.text("\(wait.reason), ")
      return until(wait.until, &html)
    }
    if let next = source.nextPoll { until(next, &html) }
  }

  private func pollNow(
    _ source: SourceStatus, _ pipeline: PipelineStatus, back: PageView? = nil, isOnly: Bool = false,
    _ html: inout HTML
  ) {
    guard source.isPolled, !source.hasEnded, !pipeline.phase.isOver, source.wait == nil else { return }
    html.tag("form", .set(.method, "post"), .action(Link(path: ["p", pipeline.name]))) { html in
      html.void("input", .set(.type, "hidden"), .set(.name, "source"), .set(.value, source.name))
      if let back {
        html.void(
          "input", .set(.type, "hidden"), .set(.name, "back"), .set(.value, back.path.joined(separator: "/")))
      }
      html.tag(
        "button", .set(.type, "submit"), back == nil ? .set(.ariaLabel, "Poll \(source.name) now") : nil
      ) { $0.text(back == nil || isOnly ? "Poll now" : "Poll \(source.name) now") }
    }
  }

  /// Below the head of a view: what is wrong with the sources of its pipeline, and when each can be polled, or how.
  func polling(_ view: PageView, _ html: inout HTML) {
    guard let pipeline = run.pipeline(view.pipeline), !pipeline.phase.isOver else { return }
    let old = pipeline.sources.compactMap { $0.age(.relative(to: now)) }
    if !old.isEmpty {
      html.tag("ul", .class("problems"), .set(.role, "alert")) { html in
        for age in old { html.tag("li") { $0.text(age) } }
      }
    }
    let polled = pipeline.sources.filter { $0.isPolled && !$0.hasEnded }
    if polled.isEmpty { return }
    html.tag("div", .class("links")) { html in
      for source in polled {
        if let failure = source.failure {
          html.tag("span", .class("status warn")) { html in
            html.tag("span", .set(.ariaHidden, "true")) { $0.text("!") }
            if let entries = source.entries { return html.text(" \(source.name): \(entries.counts)") }
            html.text(" \(source.name) failing since ")
            moment(failure.since, &html)
            html.text(" (\(failure.reason))")
            guard let good = source.lastGood else { return html.text(", no answer yet") }
            html.text(", shown: the answer of ")
            ago(good, &html)
          }
        }
        if source.wait != nil {
          html.tag("span") { html in
            html.text("\(source.name): ")
            nextPoll(source, pipeline, &html)
          }
        } else {
          pollNow(source, pipeline, back: view, isOnly: polled.count == 1, &html)
        }
      }
    }
  }

  private func graph(_ pipeline: PipelineStatus, _ html: inout HTML) {
    guard let (plan, secrets) = run.monitor.plan(of: pipeline.name) else {
      return html.tag("p", .class("sub")) { $0.text("It does not run.") }
    }
    let nodes = Dictionary(pipeline.nodes.map { ($0.name, $0) }) { first, _ in first }
    let rates = run.rates(of: pipeline.name)
    let figure = DiagramSVG.Figure(
      Diagram(plan, masking: secrets),
      link: { node in nodes[node.id].map { Link(path: ["p", pipeline.name, $0.name]).text } },
      note: { node in nodes[node.id].map { $0.note(rate: rates[node.id]) } })
    html.tag(
      "div", .class("scroll pad drawn"), .set(.role, "region"), .set(.tabindex, "0"),
      .set(.ariaLabel, "Graph")
    ) { $0.append(figure) }
    // On a screen that is too narrow for the drawing.
    let tree = DiagramText.lines(Diagram(plan, masking: secrets), width: 42)
    html.tag(
      "pre", .class("scroll pad tree"), .set(.role, "region"), .set(.tabindex, "0"), .set(.ariaLabel, "Graph")
    ) { $0.text(tree.drop { !$0.isEmpty }.dropFirst().joined(separator: "\n")) }
  }

  private func nodes(_ pipeline: PipelineStatus, _ html: inout HTML) {
    let headings = [
      "Node", "Kind", "In", "Out", "Dropped", "Errors", "Time per event", "Keys", "Waiting", "Dead letters",
    ]
    PageTable.write("Nodes", headings, &html) { html in
      for node in pipeline.nodes {
        let figures = [
          node.eventsIn, node.eventsOut, node.dropped, node.errors, nil, node.keys, node.queue,
          node.deadLetters,
        ]
        let cells: [(inout HTML) -> Void] = figures.enumerated().map { index, figure in
          { html in
            if index == 4 { return html.text(node.timePerEvent ?? "") }
            if let figure { html.text(figure) }
          }
        }
        PageTable.row(
          node.name, Link(path: ["p", pipeline.name, node.name]), [{ $0.text(node.kind) }] + cells, &html)
      }
    }
  }

  // MARK: - Times

  func ago(_ time: Double, _ html: inout HTML) {
    html.tag("time", .set(.datetime, PageTime.machine(time)), .age(PageTime.machine(time))) {
      $0.text(PageTime.words(min(0, time - now) - 0.001, units: 1))
    }
  }

  private func moment(_ time: Double, _ html: inout HTML) {
    html.tag("time", .set(.datetime, PageTime.machine(time))) {
      $0.text(PageTime(.number(time), precision: "minute")?.text ?? "")
    }
  }

  func until(_ time: Double, _ html: inout HTML) {
    let machine = PageTime.machine(time)
    // What is overdue is due now.
    html.tag("time", .set(.datetime, machine), .until(machine), .by("now")) {
      $0.text(time <= now ? "now" : PageTime.words(time - now))
    }
  }
}
