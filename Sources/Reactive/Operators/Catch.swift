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
      Sequencer(downstream, subscription, state: false) { caught, last, _ in
        guard let last else { return .attach(self) }
        guard case .failed(let error) = last, !caught else { return .finish(last) }
        caught = true
        do { return .attach(try handler(error)) } catch { return .finish(.failed(error)) }
      }.advance()
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
}
