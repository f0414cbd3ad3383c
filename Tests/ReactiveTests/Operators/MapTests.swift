import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct MapTests {
  @Test func turnsEachElementIntoAnother() throws {
    try expectMarbles("-A--B-|") { try $0.hot("-a--b-|").map { $0.uppercased() } }
  }

  @Test func passesAFailureOn() throws {
    try expectMarbles("-A--#") { try $0.hot("-a--#").map { $0.uppercased() } }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a--b-c|")
    let recording = clock.record(
      source.map { text -> String in
        if text == "b" { throw Oops() }
        return text
      })
    clock.run()
    expect(recording.drawing.line, equals: "-a--#")
    expect(source.subscriptions, equals: ["^---!"])
  }

  @Test func itsExamplesAreTrue() throws {
    try expectMarbles("A---B---C--|") { try $0.hot("a---b---c--|").map { $0.uppercased() } }
    expect(outcome { _ in Observable.from(1...3).map { $0 * 2 } }, equals: "2, 4, 6, |")
  }

  @Test func anEmptySourceStaysEmpty() throws {
    try expectMarbles("--|") { try $0.hot("--|").map { $0.uppercased() } }
  }

  @Test func manyEmitsNoneOneOrMany() {
    let many = Observable.from(0...2).mapMany { (number, emit: (Int) -> Void) in
      for _ in 0..<number { emit(number) }
    }
    expect(outcome { _ in many }, equals: "1, 2, 2, |")
  }

  @Test func manyFailsBehindWhatItHasEmitted() {
    let failing = Observable.from(1...3).mapMany { (number, emit: (Int) -> Void) in
      emit(number)
      if number == 2 { throw Oops() }
    }
    expect(outcome { _ in failing }, equals: "1, 2, #")
  }
}
