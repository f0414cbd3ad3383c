import Reactive
@preconcurrency import RxNames

/// One file that uses both libraries while a program moves from one to the other: `Reactive::Observable` is that of
/// this module.
extension RxNames.Observable where Element: Sendable {
  /// The same stream for what has moved.
  public func asReactive() -> Reactive::Observable<Element> {
    Reactive::Observable { observer, _ in
      self.subscribe(onNext: { observer.next($0) }, onCompleted: { observer.complete() })
    }
  }
}
