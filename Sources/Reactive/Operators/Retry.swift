extension Observable {
  /// Subscribes again when the stream fails, at once, at most `times`; then it fails.
  ///
  ///     a-#
  ///     a-a-#   retry(times: 1), two attempts
  ///
  /// A service that is down needs pauses in between: `retry(_:on:)` with a `Backoff`.
  /// ```
  /// Observable.just(1).concat(.fail(Oops())).retry(times: 1)  // 1, 1, #
  /// ```
  public func retry(times: Int) -> Observable {
    Observable { downstream, subscription in
      Sequencer(downstream, subscription, state: 0) { retries, last, _ in
        guard let last else { return .attach(self) }
        guard case .failed = last, retries < times else { return .finish(last) }
        retries += 1
        return .attach(self)
      }.start()
    }
  }
}

extension Observable {
  /// Subscribes again when the stream fails, after a pause that grows with each failure in a row.
  ///
  ///     #
  ///      #
  ///        a#
  ///          #
  ///            b|
  ///     ---a---b|   retry(backoff, on: clock), five attempts with pauses of 1, 2, 1 and 2 seconds
  ///
  /// An element ends the row: the next failure starts from the shortest pause again.
  /// ```
  /// let backoff = Backoff(initial: .seconds(1), jitter: 0, attempts: 2)
  /// Observable<Int>.fail(Oops()).retry(backoff, on: clock)  // #
  /// ```
  public func retry(_ backoff: Backoff, on scheduler: any Scheduler) -> Observable {
    Observable { downstream, subscription in
      Sequencer(downstream, subscription, on: scheduler, state: 0) { failures, last, progressed in
        guard let last else { return .attach(self) }
        guard case .failed(let error) = last else { return .finish(last) }
        if progressed { failures = 0 }
        guard let delay = backoff.delay(beforeRetry: failures, after: error) else { return .finish(last) }
        failures += 1
        return .wait(delay, then: self)
      }.start()
    }
  }
}

extension Observable {
  /// Subscribes again each time the stream completes: `times` in all, or without end.
  ///
  ///     a-b|
  ///     a-ba-b|   repeat(2)
  /// ```
  /// Observable.from([1, 2]).repeat(2)  // 1, 2, 1, 2, |
  /// ```
  public func `repeat`(_ times: Int = .max) -> Observable {
    Observable { downstream, subscription in
      Sequencer(downstream, subscription, state: 0) { count, last, _ in
        if let last, case .failed = last { return .finish(last) }
        if count >= times { return .finish(.completed) }
        count += 1
        return .attach(self)
      }.start()
    }
  }
}
