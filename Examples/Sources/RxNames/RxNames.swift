/// A stand-in for RxSwift: some of its names, each as RxSwift declares it.
///
/// `Reactive` is a type there, which hides the module of this name in each file that imports both.
public struct Reactive<Base> {
  public let base: Base
}

open class Observable<Element> {
  public init() {}

  open func subscribe(onNext: @escaping (Element) -> Void, onCompleted: @escaping () -> Void) {}
}

public final class PublishSubject<Element>: Observable<Element> {
  private var observers: [(next: (Element) -> Void, completed: () -> Void)] = []

  override public func subscribe(onNext: @escaping (Element) -> Void, onCompleted: @escaping () -> Void) {
    observers.append((onNext, onCompleted))
  }

  public func onNext(_ value: Element) { for observer in observers { observer.next(value) } }
  public func onCompleted() { for observer in observers { observer.completed() } }
}
