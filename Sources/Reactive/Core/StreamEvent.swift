/// An event of a stream, an element or a terminal, as a value: for `materialize`, tests and debugging, never for the hot
/// path.
public enum StreamEvent<Element: Sendable>: Sendable {
  /// An element.
  case next(Element)
  /// The end, by an error.
  case failed(any Error)
  /// The end, by completion.
  case completed

  /// The element of a `next`.
  public var element: Element? {
    guard case .next(let value) = self else { return nil }
    return value
  }

  /// Whether nothing can follow.
  public var isTerminal: Bool { element == nil }
}

/// How a stream ended.
enum Termination: Sendable {
  case failed(any Error)
  case completed

  func deliver<Element>(to observer: any Observer<Element>) {
    switch self {
    case .failed(let error): observer.fail(error)
    case .completed: observer.complete()
    }
  }
}
