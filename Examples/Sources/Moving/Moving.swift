import Reactive
@preconcurrency import RxNames

/// One file that uses both libraries while a program moves from one to the other: `Reactive::Observable` is that of
/// this module.
extension RxNames.Observable where Element: Sendable {
  /// The same stream for what has moved: it ends as that does, and is left with the subscription.
  public func asReactive() -> Reactive::Observable<Element> {
    Reactive::Observable.create { emitter in
      let disposable = self.subscribe(
        onNext: { emitter.next($0) }, onError: { emitter.fail($0) }, onCompleted: { emitter.complete() })
      emitter.onDispose { disposable.dispose() }
    }
  }
}
