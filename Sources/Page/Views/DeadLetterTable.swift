import Engine

/// The dead letters of a node on its page, each with a button to retry and one to drop it.
struct DeadLetterTable {
  let documents: PipelineDocuments
  let node: NodeStatus
  let pipeline: PipelineStatus

  /// Writes nothing where there are none.
  func write(_ html: inout HTML) {
    guard let count = node.deadLetters, count > 0 else { return }
    let letters = documents.run.monitor.deadLetters(of: node.name, in: pipeline.name)
    html.tag("h2", .class("part")) { $0.text("Dead letters") }
    if letters.isEmpty {
      return html.tag("p", .class("sub")) { html in
        html.text("They are listed by ")
        html.tag("code") { $0.text("flow state dead ls \(pipeline.name)") }
        html.text(", which names the commands to retry and to drop them.")
      }
    }
    let secrets = documents.run.monitor.plan(of: pipeline.name)?.secrets
    PageTable.write("Dead letters", ["Number", "Given up", "Attempts", "Reason", "", "Content"], &html) {
      html in
      for letter in letters {
        let content = secrets?.masked(letter.content) ?? letter.content
        PageTable.row(
          "\(letter.number)", nil,
          [
            { documents.ago(letter.at, &$0) }, { $0.text(letter.attempts) },
            { $0.text(secrets?.masked(letter.reason) ?? letter.reason) },
            { form(letter.number, &$0) },
            { html in html.tag("code") { $0.text(String(content.prefix(200))) } },
          ], &html)
      }
    }
    html.tag("div", .class("formats")) { html in
      if letters.count < count { html.tag("span") { $0.text("The oldest \(letters.count) of \(count)") } }
      if count > 1 { form(nil, &html) }
    }
  }

  /// Buttons for one letter, or one that retries all.
  private func form(_ number: Int64?, _ html: inout HTML) {
    html.tag("form", .set(.method, "post"), .action(Link(path: ["p", pipeline.name, node.name]))) { html in
      if let number {
        html.void("input", .set(.type, "hidden"), .set(.name, "number"), .set(.value, "\(number)"))
      }
      for way in number == nil ? [DeadLetterEnd.retry] : DeadLetterEnd.allCases {
        let word = way == .retry ? "Retry" : "Drop"
        html.tag(
          "button", .set(.type, "submit"), .set(.name, "way"), .set(.value, way.rawValue),
          number.map { .set(.ariaLabel, "\(word) dead letter \($0)") }
        ) { $0.text(number == nil ? "\(word) all" : word) }
        html.text(" ")
      }
    }
  }
}
