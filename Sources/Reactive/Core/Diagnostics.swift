/// Diagnostics of streams: what would otherwise go unnoticed.
///
/// Each is a line on standard error, unless it is handled.
///
/// ```
/// Diagnostics.handle { logger.warning("\($0)") }
/// ```
public enum Diagnostics {
  private static let handler = Locked<@Sendable (Diagnostic) -> Void> { diagnostic in
    Platform.report("Reactive: \(diagnostic)")
  }

  /// Hands all further diagnostics, of the whole process, to `handler`; from any thread.
  public static func handle(_ handler: @escaping @Sendable (Diagnostic) -> Void) {
    self.handler.withLock { $0 = handler }
  }

  static func report(_ diagnostic: Diagnostic) {
    handler.withLock { $0 }(diagnostic)
  }
}

/// A diagnostic: something that a program should know of its streams, and that none of its closures sees.
public enum Diagnostic: Sendable, CustomStringConvertible {
  /// A stream failed, and was subscribed to without `fail`.
  case unhandledError(any Error)
  /// An operator runs as many streams as it does at once, and the next one waits until one of them ends.
  case waiting(in: String, limit: Int)

  /// A sentence that says what has happened.
  public var description: String {
    switch self {
    case .unhandledError(let error): "a stream failed, and its subscriber has no `fail`: \(error)"
    case .waiting(let name, let limit):
      "\(name) runs \(limit) streams at once, and further ones wait until one ends; `limit:` sets how many"
    }
  }
}
