import Reactive

/// A search field: searches for what has been typed once the typing pauses, and shows the newest answer.
public final class SearchModel: Sendable {
  public enum State: Equatable, Sendable {
    case searching
    case found([String])
    case failed
  }

  public let query = PublishRelay<String>()
  public let state: Observable<State>

  public init(on clock: any Scheduler, search: @escaping @Sendable (String) async throws -> [String]) {
    state = query.debounce(for: .milliseconds(300), on: clock)
      .distinctUntilChanged()
      .flatMapLatest { text in
        Observable.task(on: clock) { State.found(try await search(text)) }
          .catch(emitting: .failed)
          .startWith(.searching)
      }
      .share(replay: 1)
  }
}
