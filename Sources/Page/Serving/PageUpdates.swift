import JSON

/// The updates of one tab: what it lacks, as events whose ids are commits.
///
/// A tab names the last commit that it shows, and gets the rows of its page that have changed since, with the order of
/// all of them. Since a row is sent as it is and not as a change, nothing is missed or repeated however often a tab
/// reconnects, also to another run of the pipeline. Commits of another state cannot be compared: the tab reloads.
package struct PageUpdates: PageFeed {
  package let view: PageView
  private let query: PageQuery
  private let row: String?
  private let documents: PageDocuments
  /// The last commit sent, and its state; nil where the tab has named none.
  private var sent: (stateID: String, commit: Int)?
  /// The rows that the tab shows, as hashes of ids, since there may be hundreds of tabs; nil while that is not known.
  private var known: Set<Int>?
  private var polledAt: Double?
  private var isFirst = true

  init(_ view: PageView, _ query: PageQuery, row: String?, since: String?, _ documents: PageDocuments) {
    self.view = view
    self.query = query
    self.row = row
    self.documents = documents
    if let since, let dash = since.lastIndex(of: "-"), let commit = Int(since[since.index(after: dash)...]) {
      sent = (String(since[..<dash]), commit)
    }
  }

  package func join(_ notify: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let number = view.join(notify)
    return { [view] in view.leave(number) }
  }

  /// The text that the tab lacks; empty where it lacks nothing.
  package mutating func next() -> [UInt8] {
    let snapshot = view.snapshot
    defer {
      sent = (snapshot.stateID, snapshot.commit)
      polledAt = snapshot.polledAt
      isFirst = false
    }
    let first = isFirst ? Array("retry: 1000\n\n".utf8) : []
    guard let sent else { return first + event("rows", snapshot, known: nil, since: -1) }
    if sent.stateID != snapshot.stateID || sent.commit > snapshot.commit {
      return first + Array("id: \(snapshot.commitID)\nevent: reload\ndata: {}\n\n".utf8)
    }
    if sent.commit < snapshot.commit {
      return first + event("rows", snapshot, known: known, since: sent.commit)
    }
    // The first answer is an event too: the tab is live.
    if isFirst {
      known = Set(selected(snapshot).items.map(\.id.hashValue))
      return first + event("poll", snapshot)
    }
    return polledAt == snapshot.polledAt ? [] : event("poll", snapshot)
  }

  private func selected(_ snapshot: PageView.Snapshot) -> PageSelection {
    PageSelection(snapshot, view.form, query)
  }

  /// The event for the line above the rows.
  private func event(_ name: String, _ snapshot: PageView.Snapshot) -> [UInt8] {
    let summary = row == nil ? documents.summary(view, snapshot, selected(snapshot), query).string : ""
    let data = Value.record([("summary", .string(summary))])
    return Array("event: \(name)\ndata: ".utf8) + data.json + Array("\n\n".utf8)
  }

  private mutating func event(
    _ name: String, _ snapshot: PageView.Snapshot, known: Set<Int>?, since commit: Int
  ) -> [UInt8] {
    let fragments = documents.fragments(view, query.units)
    var order: [Value] = []
    var rows = Value.emptyObject
    var summary = ""
    if let row {
      let found = snapshot.rows[row]
      if let found, found.commit > commit {
        rows.setMember(Key("r-\(row)"), .string(fragments.article(found).string))
      }
      if found != nil { order.append(.string("r-\(row)")) }
      if let history = found.flatMap({ KeyHistory(of: $0, in: snapshot, view.form) }) {
        order.append(.string(RowFragments.historyID))
        if history.commit > commit {
          rows.setMember(Key(RowFragments.historyID), .string(fragments.history(history).string))
        }
      }
    } else {
      let selection = selected(snapshot)
      let columns = view.form.layout == .table ? RowFragments.columns(snapshot) : []
      for item in selection.items {
        order.append(.string(item.id))
        // A tab whose page is not known gets all of it; rows that it shows already are left as they are.
        if known?.contains(item.id.hashValue) == true, item.commit <= commit { continue }
        rows.setMember(Key(item.id), .string(fragments.html(item, columns: columns).string))
      }
      self.known = Set(selection.items.map(\.id.hashValue))
      summary = documents.summary(view, snapshot, selection, query).string
    }
    let data = Value.record([("order", .array(order)), ("rows", rows), ("summary", .string(summary))])
    return Array("id: \(snapshot.commitID)\nevent: \(name)\ndata: ".utf8) + data.json + Array("\n\n".utf8)
  }
}
