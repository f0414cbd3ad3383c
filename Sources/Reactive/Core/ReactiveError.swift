/// The errors of the module itself.
public enum ReactiveError: Error, Equatable, CustomStringConvertible {
  /// A bounded queue was full and its policy was to fail.
  case overflow(what: String, limit: Int)
  /// Nothing came for as long as `timeout` allowed.
  case timedOut(after: Duration)

  public var description: String {
    switch self {
    case .overflow(let what, let limit): "\(what) is full: it holds at most \(limit)"
    case .timedOut(let duration): "nothing came for \(duration)"
    }
  }
}
