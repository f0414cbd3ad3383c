extension Observable {
  /// Subscribes again when the stream fails, at once, at most `times`; then the failure goes on.
  ///
  ///     a-#
  ///     a-a-#   retry(1)
  ///
  /// A service that is down needs pauses in between: `retry(_:on:)` with a `Backoff`.
  /// ```
  /// Observable.just(1).concat(.fail(Oops())).retry(1)  // 1, 1, #
  /// ```
  public func retry(_ times: Int) -> Observable {
    Observable { downstream, subscription in
      Succession(downstream, subscription, state: 0) { retries, last, _ in
        guard let last else { return .attach(self) }
        guard case .failed = last, retries < times else { return .finish(last) }
        retries += 1
        return .attach(self)
      }.advance()
    }
  }
}
