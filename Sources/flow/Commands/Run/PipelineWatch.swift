import CGlibc
import Glibc
import Reactive
import System

/// Watches the files of pipelines for `flow run --watch`, by inotify on their folders: editors replace files.
///
/// Its thread sleeps until a pipeline, an include or a config there has changed.
final class PipelineWatch: Sendable {
  /// An editor writes several times in a moment.
  private static let settling = Duration.milliseconds(200)
  private static let suffixes = [".yaml", ".yml", ".jq"]

  private let queue: Int32
  private let end = StopSign()
  private let scheduler = SerialScheduler(name: "flow-watch")

  init(changed: @escaping @Sendable () -> Void) {
    queue = inotify_init1(flow_inotify_flags)
    let (queue, end) = (queue, end)
    scheduler.perform { PipelineWatch.serve(queue, until: end, changed) }
  }

  /// Watches the folders of these files, besides those it watches.
  func follow(_ files: Set<String>) {
    let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR)
    for folder in Set(files.map { splitPath($0).folder }) { inotify_add_watch(queue, folder, events) }
  }

  func stop() { end.set() }

  private static func serve(_ queue: Int32, until end: StopSign, _ changed: () -> Void) {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      awaitDescriptors([.input(end.descriptor), .input(queue)])
      if end.isSet { break }
      let count = read(queue, &buffer, buffer.count)
      guard count > 0, concernsPipelines(buffer[..<count]) else { continue }
      if end.wait(seconds: settling.inSeconds) { break }
      _ = read(queue, &buffer, buffer.count)
      changed()
    }
    close(queue)
  }

  /// Whether one of these events is about a file of that kind: after 16 bytes of header comes a name, padded with zeros.
  private static func concernsPipelines(_ events: ArraySlice<UInt8>) -> Bool {
    var rest = events
    while rest.count >= 16 {
      let size = rest.dropFirst(12).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      let name = String(decoding: rest.dropFirst(16).prefix(size).prefix { $0 != 0 }, as: UTF8.self)
      if suffixes.contains(where: name.hasSuffix) { return true }
      rest = rest.dropFirst(16 + size)
    }
    return false
  }
}
