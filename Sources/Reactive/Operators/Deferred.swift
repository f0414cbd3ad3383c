extension Observable {
  /// Makes the observable anew for each subscription.
  ///
  ///     ---a--b--|   deferred { source }
  /// ```
  /// Observable.deferred { Observable.just(6 * 7) }  // 42, |
  /// ```
  public static func deferred(_ make: @escaping @Sendable () throws -> Observable) -> Observable {
    Observable { observer, subscription in
      let source: Observable
      do { source = try make() } catch { return observer.fail(error) }
      source.attach(observer, in: subscription)
    }
  }
}
