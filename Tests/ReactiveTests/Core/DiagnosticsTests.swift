import Expectations
import Reactive
import Testing

/// The handler is one for the process, so other tests may be heard here too: each error has a number of its own.
@Suite(.serialized) struct DiagnosticsTests {
  private func heard(_ body: () -> Void) -> [Diagnostic] {
    let log = Journal<Diagnostic>()
    Diagnostics.handle { log.note($0) }
    defer { Diagnostics.handle { print($0) } }
    body()
    return log.entries
  }

  @Test func anErrorThatNobodyHandlesIsReported() {
    let heard = heard {
      _ = Observable<Int>.fail(Oops(number: 4711)).subscribe()
      _ = Observable<Int>.fail(Oops(number: 4712)).subscribe(fail: { _ in })
    }
    let numbers = heard.compactMap { diagnostic -> Int? in
      guard case .unhandledError(let error as Oops) = diagnostic else { return nil }
      return error.number
    }
    #expect(numbers.contains(4711))
    #expect(!numbers.contains(4712))
  }

  @Test func theFirstStreamThatWaitsForOneThatMayNeverEndIsReported() {
    func waiting(_ limit: Int?) -> Int {
      heard {
        let subject = PublishSubject<Int>()
        let bag = Bag()
        subject.flatMap(limit: limit) { _ in Observable<Int>.never() }.subscribe().disposed(
          by: bag)
        for number in 0..<1030 { subject.next(number) }
      }.count { diagnostic in
        guard case .waiting = diagnostic else { return false }
        return true
      }
    }
    expect(waiting(nil), equals: 1)
    expect(waiting(1), equals: 0)
    expect(
      heard {
        let bag = Bag()
        Observable.from(0..<1030).flatMap { _ in Observable<Int>.never() }.subscribe().disposed(by: bag)
      }.count, equals: 1, "a sequence that pauses waits too")
    expect(
      "\(Diagnostic.waiting(in: "flatMap", limit: 1024))",
      equals:
        "flatMap runs 1024 streams at once, and further ones wait until one ends; `limit:` sets how many")
  }
}
