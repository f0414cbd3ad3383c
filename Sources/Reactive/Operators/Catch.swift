extension Observable {
  /// Continues with another stream when this one fails.
  ///
  ///     a--#
  ///        b--|
  ///     a--b--|   catch { _ in other }
  /// ```
  /// Observable<Int>.fail(Oops()).catch { _ in Observable.just(0) }  // 0, |
  /// ```
  public func `catch`(
    _ handler: @escaping @Sendable (any Error) throws -> Observable
  ) -> Observable {
    Observable { downstream, subscription in
      // The source in the state, so that it is not held by what it feeds once it has begun.
      let state = CatchState(source: self)
      Sequencer(downstream, subscription, state: state) { state, last, _ in
        if let source = state.source.take() { return .attach(known(source, as: Observable.self)) }
        guard case .failed(let error)? = last, !state.caught else { return .finish(last ?? .completed) }
        state.caught = true
        do { return .attach(try handler(error)) } catch { return .finish(.failed(error)) }
      }.start()
    }
  }

  /// Emits one last element and completes when the stream fails.
  ///
  /// ```
  /// Observable<Int>.fail(Oops()).catch(emitting: 0)  // 0, |
  /// ```
  public func `catch`(emitting value: Element) -> Observable {
    `catch` { _ in .just(value) }
  }
  /// Fails with another error when the stream fails.
  ///
  /// ```
  /// Observable<Int>.fail(Oops()).mapError { Broken(cause: $0) }.catch { $0 is Broken ? .just(1) : .fail($0) }  // 1, |
  /// ```
  public func mapError(_ transform: @escaping @Sendable (any Error) throws -> any Error) -> Observable {
    `catch` { throw try transform($0) }
  }
}

/// Without the type of the source, which would have to be looked up.
private struct CatchState: Sendable {
  var source: (any AnyObject & Sendable)?
  var caught = false
}
