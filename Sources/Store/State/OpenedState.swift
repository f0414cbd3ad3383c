import Reactive

/// An opened state on its way from the thread that has opened it to the run that it is for.
///
/// `@unchecked Sendable` with its reason: a state belongs to one thread at a time, and is taken once.
public final class OpenedState: @unchecked Sendable {
  private let isTaken = Locked(false)
  private var result: Result<StateFile, any Error>?

  public init(_ result: sending Result<StateFile, any Error>) { self.result = result }

  /// The state, or the error of opening it; nil when it was taken already.
  public func take() throws -> sending StateFile? {
    let wasTaken = isTaken.withLock { isTaken in
      defer { isTaken = true }
      return isTaken
    }
    if wasTaken { return nil }
    // It is closed by the run that has it.
    defer { result = nil }
    return try result?.get()
  }
}
