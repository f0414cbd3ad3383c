import Reactive

/// The acknowledgement of a batch, for a sender outside of the process that keeps it until then.
///
/// It resolves with true once everything that the batch has caused is committed; without state, once it is processed.
/// It resolves with false where the commit fails, and where the batch is dropped on its way.
public final class Acknowledgement: Sendable {
  private let action: Locked<(@Sendable (_ isCommitted: Bool) -> Void)?>

  /// `action` is called once, on any thread.
  public init(_ action: @escaping @Sendable (_ isCommitted: Bool) -> Void) { self.action = Locked(action) }

  deinit { resolve(false) }

  func resolve(_ isCommitted: Bool) {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?(isCommitted)
  }
}
