/// The documents of the server: the overview, a page of a view, a row, and an error.
package struct PageDocuments: Sendable {
  let hub: PageHub
  let hasPictures: Bool

  package init(_ hub: PageHub, hasPictures: Bool) {
    self.hub = hub
    self.hasPictures = hasPictures
  }

  func fragments(_ view: PageView, _ units: PageForm.Units?) -> RowFragments {
    RowFragments(
      view, units: units, hasPictures: hasPictures, pictureOrigin: hub.pictureOrigin, now: hub.now())
  }

  // MARK: - Overview

  package func overview() -> HTML {
    let (views, now) = (hub.views, hub.now())
    var frame = frame("flow")
    let pipelines = hub.run.map { PipelineDocuments(hub, $0) }
    if pipelines != nil { frame.stream = (PipelineDocuments.Page.overview.live, nil) }
    return frame.document { html in
      html.tag("h1") { $0.text("Overview") }
      if views.isEmpty {
        html.tag("p", .class("empty")) {
          $0.text("No pipeline of this run has a view yet: add a sink page to one. See flow docs page.")
        }
      }
      html.tag("ul", .class("views"), .set(.role, "list")) { html in
        for view in views {
          let snapshot = view.snapshot
          html.tag("li", .class("card")) { html in
            html.tag("div", .class("what")) { html in
              html.tag("h2") { html in
                html.tag("a", .class("title"), .href(Link(path: ["v"] + view.path))) {
                  $0.text(view.form.name)
                }
              }
              if !view.form.summary.isEmpty { html.tag("p", .class("sub")) { $0.text(view.form.summary) } }
              html.tag("div", .class("side")) { html in
                html.tag("span") { $0.text(Self.rows(snapshot.rows.count)) }
                age(snapshot, now, &html)
              }
            }
          }
        }
      }
      guard let pipelines else { return }
      html.tag("h2", .class("part")) { $0.text("Pipelines") }
      for part in pipelines.parts(of: .overview) { html.append(part.html) }
    }
  }

  /// The page of a pipeline or of a node; nil where there is none.
  ///
  /// - Parameter key: What the page of a pipeline is to explain.
  package func page(about page: PipelineDocuments.Page, why key: String? = nil) -> HTML? {
    guard let run = hub.run else { return nil }
    var frame =
      switch page {
      case .overview: frame("flow")
      case .pipeline(let name): frame(name)
      case .node(let node, let name): frame("\(node) of \(name)")
      }
    frame.stream = (page.live, nil)
    return PipelineDocuments(hub, run).document(page, frame, why: key)
  }

  private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }

  private func frame(_ title: String, _ view: PageView? = nil) -> PageFrame {
    PageFrame(title: title, views: hub.views, current: view, now: hub.now(), speed: hub.speed)
  }

  /// The age of the data, and whether the source has answered with an old copy.
  private func age(_ snapshot: PageView.Snapshot, _ now: Double, _ html: inout HTML) {
    guard let time = snapshot.polledAt else { return }
    html.tag("span", .class("age")) { html in
      html.text("polled ")
      html.tag("time", .set(.datetime, PageTime.machine(time)), .age(PageTime.machine(time))) {
        $0.text(PageTime.words(min(0, time - now) - 0.001, units: 1))
      }
    }
    if let staleness = snapshot.staleness {
      html.tag("span", .class("status warn")) { html in
        html.tag("span", .set(.ariaHidden, "true")) { $0.text("!") }
        let age = PageTime.words(staleness, units: 1).dropFirst(3)
        html.text(" the source fails; shown: the answer of \(age) ago")
      }
    }
  }

  // MARK: - A view

  package func page(of view: PageView, _ query: PageQuery) -> PageFrame.Parts {
    let snapshot = view.snapshot
    var frame = frame(view.form.name, view)
    frame.stream = (Link(path: ["live"] + view.path, query: query.pairs()), snapshot.commitID)
    return frame.parts { html in
      let selection = PageSelection(snapshot, view.form, query)
      html.tag("div", .class("head")) { html in
        html.tag("h1") { $0.text(view.form.name) }
        if !view.form.summary.isEmpty { html.tag("p", .class("sub")) { $0.text(view.form.summary) } }
      }
      html.tag("div", .class("tools")) { html in
        filters(view, snapshot, query, &html)
        if let run = hub.run { PipelineDocuments(hub, run).polling(view, &html) }
      }
      html.append(summary(view, snapshot, selection, query))
      if view.form.hasPicture, !hasPictures {
        html.tag("p", .class("sub")) {
          $0.text("Pictures of other hosts are not loaded: --page-pictures allows it.")
        }
      }
      html.tag("button", .id("news"), .set(.type, "button"), .hidden)
      rows(view, snapshot, selection, query, &html)
      pager(view, selection, query, &html)
      formats(view, query, &html)
    }
  }

  /// The line above the rows: how many there are, and how old they are.
  package func summary(
    _ view: PageView, _ snapshot: PageView.Snapshot, _ selection: PageSelection, _ query: PageQuery
  ) -> HTML {
    var html = HTML()
    html.tag("p", .id("summary"), .class("summary")) { html in
      let total = snapshot.rows.count
      var text = query.isFiltered ? "\(selection.rowCount) of \(total)" : Self.rows(total)
      if selection.pageCount > 1 { text += ", page \(selection.page) of \(selection.pageCount)" }
      html.tag("span") { $0.text(text) }
      html.text(" ")
      age(snapshot, hub.now(), &html)
    }
    return html
  }

  private func rows(
    _ view: PageView, _ snapshot: PageView.Snapshot, _ selection: PageSelection, _ query: PageQuery,
    _ html: inout HTML
  ) {
    let fragments = fragments(view, query.units)
    if view.form.layout == .table {
      let columns = RowFragments.columns(snapshot)
      html.tag(
        "div", .class("scroll"), .set(.role, "region"), .set(.tabindex, "0"), .set(.ariaLabel, view.form.name)
      ) {
        $0.tag("table") { html in
          html.tag("thead") { html in
            html.tag("tr") { html in
              for name in RowFragments.headings(view.form, columns) {
                heading(name, of: view, selection, query, fragments, &html)
              }
            }
          }
          html.tag("tbody", .id("rows")) { html in
            for item in selection.items { html.append(fragments.html(item, columns: columns)) }
          }
        }
      }
    } else {
      html.tag("ol", .id("rows"), .class("rows \(view.form.layout.rawValue)"), .set(.role, "list")) { html in
        for item in selection.items { html.append(fragments.html(item)) }
      }
    }
    html.tag("p", .id("empty"), .class("empty"), selection.items.isEmpty ? nil : .hidden) {
      $0.text(query.isFiltered ? "No row matches." : "No rows yet.")
    }
  }

  /// The heading of a column, a link that sorts by it.
  private func heading(
    _ name: String, of view: PageView, _ selection: PageSelection, _ query: PageQuery,
    _ fragments: RowFragments,
    _ html: inout HTML
  ) {
    let values = selection.items.lazy.compactMap { item in
      if case .row(let row) = item { row.content.member("detail")?.member(name) } else { nil }
    }
    let isNumber = values.first { !$0.isNull }.map(fragments.isNumber) ?? false
    let direction = query.column != name ? nil : query.isDescending ? "descending" : "ascending"
    html.tag(
      "th", .set(.scope, "col"), isNumber ? .class("number") : nil, direction.map { .set(.ariaSort, $0) }
    ) { html in
      let link = Link(path: ["v"] + view.path, query: query.sorted(by: name).pairs())
      html.tag("a", .href(link)) { html in
        html.text(name)
        if direction != nil {
          html.tag("span", .set(.ariaHidden, "true")) { $0.text(query.isDescending ? " ▼" : " ▲") }
        }
      }
    }
  }

  private func filters(
    _ view: PageView, _ snapshot: PageView.Snapshot, _ query: PageQuery, _ html: inout HTML
  ) {
    html.tag("form", .class("filters"), .set(.role, "search"), .action(Link(path: ["v"] + view.path))) {
      html in
      html.tag("label") { html in
        html.text("Search ")
        html.void("input", .set(.type, "search"), .set(.name, "q"), .set(.value, query.search))
      }
      if let sort = query.pairs().first(where: { $0.name == "sort" }) {
        html.void("input", .set(.type, "hidden"), .set(.name, sort.name), .set(.value, sort.value))
      }
      for facet in PageQuery.counts(of: snapshot)
      where facet.values.count > 1 || query.facets[facet.name] != nil {
        html.tag("label") { html in
          html.text("\(facet.name) ")
          html.tag("select", .set(.name, PageQuery.facetPrefix + facet.name)) { html in
            html.tag("option", .set(.value, "")) { $0.text("all") }
            for (value, count) in facet.values {
              let isChosen = query.facets[facet.name] == value
              html.tag("option", .set(.value, value), isChosen ? .selected : nil) {
                $0.text("\(value) (\(count))")
              }
            }
          }
        }
      }
      html.tag("button", .set(.type, "submit")) { $0.text("Show") }
      if query.isFiltered {
        html.tag("a", .href(Link(path: ["v"] + view.path))) { $0.text("Show all") }
      }
    }
  }

  private func pager(_ view: PageView, _ selection: PageSelection, _ query: PageQuery, _ html: inout HTML) {
    if selection.pageCount <= 1 { return }
    html.tag("nav", .class("pager"), .set(.ariaLabel, "Pages")) { html in
      let path = ["v"] + view.path
      if selection.page > 1 {
        let link = Link(path: path, query: query.pairs(page: selection.page - 1))
        html.tag("a", .class("button"), .href(link), .set(.rel, "prev")) { $0.text("Previous") }
      }
      html.tag("span") { $0.text("page \(selection.page) of \(selection.pageCount)") }
      if selection.page < selection.pageCount {
        let link = Link(path: path, query: query.pairs(page: selection.page + 1))
        html.tag("a", .class("button"), .href(link), .set(.rel, "next")) { $0.text("Next") }
      }
    }
  }

  private func formats(_ view: PageView, _ query: PageQuery, _ html: inout HTML) {
    html.tag("p", .class("formats")) { html in
      html.text("Download: ")
      for format in PageExport.Format.allCases {
        let path = ["v", view.path[0], "\(view.path[1]).\(format.rawValue)"]
        if format != .json { html.text(" · ") }
        html.tag("a", .href(Link(path: path, query: query.pairs(page: 1)))) { $0.text(format.name) }
      }
    }
    if [.table, .board].contains(view.form.layout) { units(view, query.units, back: view.path, &html) }
  }

  /// The button for other units, of a page that shows figures.
  private func units(
    _ view: PageView, _ units: PageForm.Units?, back: [String], _ html: inout HTML
  ) {
    guard view.form.units != nil else { return }
    let other: PageForm.Units = fragments(view, units).units == .imperial ? .metric : .imperial
    html.tag("form", .set(.method, "post"), .action(Link(path: ["settings"])), .class("formats")) { html in
      html.void("input", .set(.type, "hidden"), .set(.name, "units"), .set(.value, other.rawValue))
      html.void(
        "input", .set(.type, "hidden"), .set(.name, "back"), .set(.value, back.joined(separator: "/")))
      html.tag("button", .set(.type, "submit")) { $0.text("Use \(other.rawValue) units") }
    }
  }

  // MARK: - A row, and errors

  package func page(of row: PageRow, in view: PageView, _ chosen: PageForm.Units?) -> HTML {
    var frame = frame(row.title, view)
    let snapshot = view.snapshot
    frame.stream = (Link(path: ["live"] + view.path, query: [("row", row.id)]), snapshot.commitID)
    return frame.document { html in
      html.tag("p", .class("back")) { html in
        html.tag("a", .href(Link(path: ["v"] + view.path))) { $0.text("← \(view.form.name)") }
      }
      html.tag("button", .id("news"), .set(.type, "button"), .hidden)
      html.tag("div", .id("rows")) { html in
        let fragments = fragments(view, chosen)
        html.append(fragments.article(row))
        if let history = KeyHistory(of: row, in: snapshot, view.form) {
          html.append(fragments.history(history))
        }
      }
      if fragments(view, chosen).hasFigures(row) { units(view, chosen, back: view.path + [row.id], &html) }
      guard hub.run?.monitor.plan(of: view.pipeline)?.plan.trace != nil else { return }
      html.tag("p", .class("links")) { html in
        let key = row.key.string ?? row.key.description
        html.tag("a", .class("button"), .href(Link(path: ["p", view.pipeline], query: [("why", key)]))) {
          $0.text("Why, and why not?")
        }
      }
    }
  }

  package func failure(_ title: String, _ text: String) -> HTML {
    frame(title).document { html in
      html.tag("h1") { $0.text(title) }
      html.tag("p") { $0.text(text) }
      html.tag("p", .class("links")) { html in html.tag("a", .href(Link(path: []))) { $0.text("← Overview") }
      }
    }
  }
}
