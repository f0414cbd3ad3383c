import JSON

/// The updates of a page about pipelines: those of its parts that differ from what the tab has.
///
/// They have no ids: a tab that reconnects gets each part as it is then.
package struct StatusUpdates: PageFeed {
  private let documents: PipelineDocuments
  private let page: PipelineDocuments.Page
  private var sent: [String: [UInt8]] = [:]
  private var isFirst = true

  init(_ page: PipelineDocuments.Page, _ documents: PipelineDocuments) {
    (self.page, self.documents) = (page, documents)
  }

  package func join(_ notify: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let run = documents.run
    let number = run.join(page.pipeline, notify)
    return { run.leave(number) }
  }

  package mutating func next() -> [UInt8] {
    defer { isFirst = false }
    var parts: [(String, Value)] = []
    for part in documents.parts(of: page) where sent[part.id] != part.html.bytes {
      sent[part.id] = part.html.bytes
      parts.append((part.id, .string(part.html.string)))
    }
    let event =
      parts.isEmpty ? [] : Array("event: parts\ndata: ".utf8) + Value.record(parts).json + Array("\n\n".utf8)
    return isFirst ? Array("retry: 1000\n\n".utf8) + event : event
  }
}
