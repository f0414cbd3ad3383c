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
      Succession(downstream, subscription, on: scheduler, state: 0) { failures, last, progressed in
        guard let last else { return .attach(self) }
        guard case .failed(let error) = last else { return .finish(last) }
        if progressed { failures = 0 }
        guard let delay = backoff.delay(beforeRetry: failures, after: error) else { return .finish(last) }
        failures += 1
        return .wait(delay, then: self)
      }.advance()
    }
  }
}
