import Nodes
import Engine
import Glibc
import JSON
import Language
import Page
import Store
import System

/// The views of a pipeline that this process does not run: the rows of its pages as its state has them, and its change
/// logs.
///
///     let views = StoredViews(plan, state: "new-launches.db", in: hub)
///     try views.refresh()  // again whenever the files may have changed
package final class StoredViews {
  private struct Content {
    var rows: [PageRow]
    var commit: Int
  }

  /// A state of a file: it differs whenever the file was written.
  private struct Version: Equatable {
    private let inode: UInt
    private let size, seconds, nanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (inode, size) = (UInt(status.st_ino), Int(status.st_size))
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  private struct Entry {
    let view: PageView
    /// The files that it is made of, and how they were when it was last read.
    let paths: [String]
    var versions: [Version?]?
    /// Nil where there is nothing yet.
    let read: () throws -> Content?
  }

  /// The number of lines at the end of a log that are shown, and of bytes that are read for them.
  private static let ofLog = (lines: 1000, bytes: 4 << 20)

  private var entries: [Entry] = []

  /// Adds a view for each `page` of the plan, and for each `jsonl` that writes to one file; none has rows yet.
  package init(_ plan: Plan, state path: String, in hub: PageHub) {
    for sink in plan.sinks {
      switch sink.spec.kind {
      case "page":
        add(sink, PageForm(sink.options, pipeline: plan.name), of: plan, in: hub, [path, path + "-wal"]) {
          try Self.rows(of: sink.name, in: path)
        }
      case "jsonl":
        guard let log = sink.linesPath else { continue }
        let form = PageForm(layout: .log, name: log, summary: plan.description, isDescending: true)
        add(sink, form, of: plan, in: hub, [log]) { try Self.rows(ofLog: log) }
      default: continue
      }
    }
  }

  private func add(
    _ sink: SinkPlan, _ form: PageForm, of plan: Plan, in hub: PageHub, _ paths: [String],
    _ read: @escaping () throws -> Content?
  ) {
    let view = hub.add(pipeline: plan.name, sink: sink.name, form, stateID: "stored")
    entries.append(Entry(view: view, paths: paths, read: read))
  }

  /// Reads again what has changed; throws the first failure, after all have been tried.
  package func refresh() throws {
    var failure: (any Error)?
    for index in entries.indices {
      let versions = entries[index].paths.map(Version.init)
      if entries[index].versions == versions { continue }
      do {
        if let content = try entries[index].read() { Self.show(content, in: entries[index].view) }
        entries[index].versions = versions
      } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  private static func show(_ content: Content, in view: PageView) {
    let before = view.snapshot
    let ids = Set(content.rows.map(\.id))
    let changes =
      content.rows.filter { before.rows[$0.id]?.content != $0.content }.map { PageView.Change.set($0) }
      + before.rows.keys.filter { !ids.contains($0) }.map { PageView.Change.remove(id: $0) }
    if !changes.isEmpty { view.publish(changes, commit: content.commit) }
  }

  // MARK: - Reading

  private static func rows(of sink: String, in path: String) throws -> Content? {
    guard SystemDisk().exists(path) else { return nil }
    let reader = try StateReader(path: path)
    let table = "\(sink)@\(PageForm.table)"
    var rows: [PageRow] = []
    var last: StoredKey?
    repeat {
      let keys = try reader.keys(of: table, after: last)
      for key in keys {
        guard let name = try? Value.parse(key.key), let stored = try? Value.parse(key.value) else { continue }
        if let row = PageRow(key: name, stored: stored) { rows.append(row) }
      }
      last = keys.last
    } while last != nil
    return Content(rows: rows, commit: rows.map(\.commit).max() ?? 0)
  }

  private static func rows(ofLog path: String) throws -> Content? {
    guard let status = SystemDisk().status(of: path), status.isRegular else { return nil }
    let start = max(0, status.size - ofLog.bytes)
    let bytes = try FileFailure.of(path, trying: "open") { () throws(DiskError) in
      try SystemDisk().open(toRead: path, followsLinks: true)
    }
    var lines = try readBytes(bytes, from: start, status.size - start, of: path).split(
      separator: UInt8(ascii: "\n"))
    // The first may have lost its beginning.
    if start > 0, !lines.isEmpty { lines.removeFirst() }
    let rows = lines.suffix(ofLog.lines).compactMap { line in
      (try? Value.parse(Array(line))).map { row(ofLine: $0, commit: status.size) }
    }
    return Content(rows: rows, commit: status.size)
  }

  /// A row for a line of a log, which is known by its content.
  private static func row(ofLine event: Value, commit: Int) -> PageRow {
    let sides = [event.member("after"), event.member("before"), event].compactMap { $0 }
    let subject = sides.first { $0.kind == .object } ?? .null
    let key = event.member("key") ?? event
    let names = ["name", "title"].compactMap { subject.member($0)?.string }
    let title = names.first ?? key.string ?? String(key.description.prefix(200))
    var content = Value.record([("title", .string(title)), ("detail", subject)])
    content.addChange(event, at: 0)
    return PageRow(key: event, commit: commit, changedAt: 0, content: content)
  }
}
