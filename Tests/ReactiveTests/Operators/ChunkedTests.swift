import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct ChunkedTests {
  private let numbers: [Character: Int] = ["1": 1, "2": 2, "5": 5, "6": 6]

  @Test func aListEndsWhereTheNextBegins() throws {
    try expectMarbles("------a-----(b|)", legend: ["a = [1, 2]", "b = [5, 6]"]) {
      try $0.hot("1--2--5--6--|", numbers).chunked { $1 == $0 + 1 }
    }
  }

  @Test func aFailureDropsTheUnfinishedList() throws {
    try expectMarbles("--a-#", legend: ["a = [1]"]) {
      try $0.hot("1-5-#", numbers).chunked { $1 == $0 + 1 }
    }
    try expectMarbles("--|") { try $0.hot("--|", numbers).chunked { $1 == $0 + 1 } }
  }

  @Test func moreThanTheLimitIsAFailure() {
    let clock = VirtualScheduler()
    let recording = clock.record(Observable.from([1, 2, 2, 2]).chunked(limit: 2) { $0 == $1 })
    expect(recording.elements, equals: [[1]])
    #expect(recording.error as? ReactiveError == .overflow(what: "a list of chunked", limit: 2))
  }

  @Test func aKeyOfNilIsAKey() {
    expect(
      outcome { _ in
        Observable<Int?>.from([nil, nil, 3]).chunked(on: { $0 }).map { "\($0 ?? 0)×\($1.count)" }
      }, equals: "0×2, 3×1, |")
  }
}
