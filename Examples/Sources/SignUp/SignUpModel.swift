import Reactive

/// A sign-up form: the name is checked by the server, and the button is enabled when everything is in order.
public final class SignUpModel: Sendable {
  public enum Check: Sendable {
    case running
    case valid
    case invalid
  }

  public let (name, password, repeated) = (BehaviorRelay(""), BehaviorRelay(""), BehaviorRelay(""))
  public let hasAgreed = BehaviorRelay(false)
  public let submit = PublishRelay<Void>()

  public let nameCheck: Observable<Check>
  public let submission: Observable<Check>
  public let isBusy: Observable<Bool>
  public let isEnabled: Observable<Bool>

  public init(
    on clock: any Scheduler, isFree: @escaping @Sendable (String) async throws -> Bool,
    register: @escaping @Sendable (String, String) async throws -> Void
  ) {
    nameCheck = name.distinctUntilChanged().flatMapLatest { name in
      if name.isEmpty { return .just(Check.invalid) }
      return Observable.task(on: clock) { try await isFree(name) ? .valid : .invalid }
        .delaySubscription(for: .milliseconds(300), on: clock).catch(emitting: .invalid).startWith(.running)
    }.share(replay: 1)
    submission = submit.withLatestFrom(Observable.combineLatest(name, password)).flatMapFirst { entered in
      Observable.task(on: clock) { try await register(entered.0, entered.1) }
        .map { Check.valid }.catch(emitting: .invalid).startWith(.running)
    }.startWith(.invalid).share(replay: 1)
    isBusy = Observable.combineLatest(nameCheck, submission) { $0 == .running || $1 == .running }
      .distinctUntilChanged()
    let isPasswordFine = Observable.combineLatest(password, repeated) { $0.count >= 8 && $0 == $1 }
    isEnabled = Observable.combineLatest(nameCheck, isPasswordFine, hasAgreed, isBusy) {
      $0 == .valid && $1 && $2 && !$3
    }.distinctUntilChanged()
  }
}
