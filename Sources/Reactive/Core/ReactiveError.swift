/// The errors of the module itself.
public enum ReactiveError: Error, Equatable, CustomStringConvertible {
  /// A bounded queue was full and its policy was to fail.
  case overflow(what: String, limit: Int)
  /// Nothing came for as long as `timeout` allowed.
  case timedOut(after: Duration)

  /// A task that is none of this module's waited for room in a mailbox that holds `limit` elements, and nothing was
  /// delivered meanwhile.
  case standstill(limit: Int)
  /// A stream that should have had an element completed without it.
  case noElement
  /// A stream that should have had one element had another.
  case severalElements

  /// A sentence that says what has gone wrong.
  public var description: String {
    switch self {
    case .overflow(let what, let limit): "\(what) is full: it holds at most \(limit)\(Self.remedy(for: what))"
    case .standstill(let limit):
      "a mailbox of \(limit) is full and nothing is delivered: a task sends to it by a call, which holds a thread of all "
        + "tasks that the receiver may need; send by `Observable.from` or `task`, which suspend, or from a scheduler, or "
        + "choose another overflow than `block`"
    case .noElement: "the stream completed without the element that was asked for"
    case .severalElements: "the stream had a second element where one was expected"
    case .timedOut(let duration): "nothing came for \(duration)"
    }
  }

  private static func remedy(for what: String) -> String {
    if what.hasPrefix("the backlog of") { return "; `backlog:` sets how many may wait" }
    if what.hasPrefix("the stack of") { return "; pages that name the next one take none in `expand`" }
    if what.split(separator: "`").contains("values") {
      return "; a source that is started by `subscribe(on:)` waits for the loop"
    }
    return ""
  }
}
