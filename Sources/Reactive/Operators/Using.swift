extension Observable {
  /// Makes a resource for each subscription, which lives as long as it: a file, a connection, a counter of what goes on.
  ///
  ///     ---a--b--|   using({ open() }, dispose: { $0.close() }) { source($0) }
  ///
  /// `dispose` is called once, after the terminal or when the subscription is disposed.
  /// ```
  /// Observable.using({ 6 }, dispose: { print("closed", $0) }) { Observable.just($0 * 7) }  // 42, |
  /// ```
  public static func using<Resource: Sendable>(
    _ make: @escaping @Sendable () throws -> Resource, dispose: @escaping @Sendable (Resource) -> Void,
    _ body: @escaping @Sendable (Resource) throws -> Observable
  ) -> Observable {
    Observable { observer, subscription in
      let source: Observable
      do {
        let resource = try make()
        subscription.onDispose { dispose(resource) }
        source = try body(resource)
      } catch {
        return observer.fail(error)
      }
      source.attach(observer, in: subscription)
    }
  }
}
