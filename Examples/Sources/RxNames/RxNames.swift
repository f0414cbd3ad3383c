/// A stand-in for RxSwift: some of its names, each as RxSwift declares it.
///
/// `Reactive` is a type there, which hides the module of this name in each file that imports both.
public struct Reactive<Base> {
  public let base: Base
}

public protocol Disposable {
  func dispose()
}

open class Observable<Element> {
  public init() {}

  open func subscribe(
    onNext: ((Element) -> Void)? = nil, onError: ((any Error) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    Place {}
  }
}

public final class PublishSubject<Element>: Observable<Element> {
  private struct Observer {
    let next: ((Element) -> Void)?
    let failed: ((any Error) -> Void)?
    let completed: (() -> Void)?
  }

  private var observers: [Int: Observer] = [:]
  private var lastKey = 0

  public var hasObservers: Bool { !observers.isEmpty }

  override public func subscribe(
    onNext: ((Element) -> Void)? = nil, onError: ((any Error) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    lastKey += 1
    let key = lastKey
    observers[key] = Observer(next: onNext, failed: onError, completed: onCompleted)
    return Place { [weak self] in self?.observers[key] = nil }
  }

  public func onNext(_ value: Element) { for observer in observers.values { observer.next?(value) } }
  public func onError(_ error: any Error) { for observer in observers.values { observer.failed?(error) } }
  public func onCompleted() { for observer in observers.values { observer.completed?() } }
}

private final class Place: Disposable {
  private let leave: () -> Void

  init(_ leave: @escaping () -> Void) {
    self.leave = leave
  }

  func dispose() { leave() }
}
