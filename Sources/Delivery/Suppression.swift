import Engine

/// A kind of thing that a delivery queue delivers.
package enum Deliverable: Sendable {
  case command, request, file, notification, message, row

  fileprivate var names: (one: String, many: String) {
    switch self {
    case .command: ("command", "commands")
    case .request: ("request", "requests")
    case .file: ("file", "files")
    case .notification: ("notification", "notifications")
    case .message: ("message", "messages")
    case .row: ("row", "rows")
    }
  }

  fileprivate var verbs: (active: String, passive: String) {
    switch self {
    case .command: ("runs", "run")
    case .request: ("sends", "sent")
    case .file: ("fetches", "fetched")
    case .notification: ("shows", "shown")
    case .message: ("publishes", "published")
    case .row: ("writes", "written")
    }
  }
}

/// The deliveries that a sink suppresses in a simulated or replayed run: reported at the start, counted at the end.
///
/// The sink still evaluates its templates, so that their errors show.
package struct Suppression {
  private let deliverable: Deliverable
  private let log: NodeLog
  private var count = 0

  /// Nil where the sink delivers, and in a dry run, which shows deliveries instead.
  package init?(of deliverable: Deliverable, _ context: SinkContext) {
    let delivers =
      deliverable == .file
      ? WebAccess.forDelivery(of: .file, in: context) != nil : context.outputs.isLive
    if context.isDryRun || delivers { return nil }
    (self.deliverable, log) = (deliverable, context.log)
    let verbs = deliverable.verbs
    log.notice(
      "\(deliverable.names.many) are not \(verbs.passive) \(context.outputs.reason); "
        + "--live-sinks \(verbs.active) them")
  }

  /// Counts a delivery; the error with which its event is skipped.
  package mutating func next() -> NotSent {
    count += 1
    return NotSent()
  }

  package mutating func report() {
    let (names, done) = (deliverable.names, deliverable.verbs.passive)
    if count > 0 {
      log.notice("\(count) \(count == 1 ? "\(names.one) was" : "\(names.many) were") not \(done)")
    }
    count = 0
  }
}
