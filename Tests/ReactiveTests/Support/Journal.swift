import Reactive

/// What closures of a test were called with, in order.
final class Journal<Entry: Sendable>: Sendable {
  private let log = Locked<[Entry]>([])

  var entries: [Entry] { log.withLock { $0 } }
  var count: Int { entries.count }

  func note(_ entry: Entry) {
    log.withLock { $0.append(entry) }
  }
}
