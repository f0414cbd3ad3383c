import Reactive
import ReactiveTesting
import SearchField
import Testing

@Suite struct SearchModelTests {
  /// Types into the field at the times of a drawing, in steps of 100 ms; a search takes a second, and that for x fails.
  private func states(_ typed: String) throws -> [(at: Duration, state: SearchModel.State)] {
    let clock = VirtualScheduler()
    let model = SearchModel(on: clock) { text in
      try await Task.sleep(for: .seconds(1), clock: clock)
      if text == "x" { throw MarbleFailure() }
      return ["\(text)!"]
    }
    let recording = clock.record(model.state)
    try clock.hot(typed, step: .milliseconds(100)).subscribe(model.query, in: Subscription())
    clock.run()
    return recording.records.compactMap { record in
      record.event.element.map { (record.time - Instant(), $0) }
    }
  }

  @Test func searchesOnceTheTypingPauses() throws {
    let states = try states("abc")
    #expect(states.map(\.state) == [.searching, .found(["c!"])])
    #expect(states.map(\.at) == [.milliseconds(500), .milliseconds(1500)])
  }

  @Test func theNewestSearchEndsTheOneBefore() throws {
    #expect(try states("a-----b").map(\.state) == [.searching, .searching, .found(["b!"])])
  }

  @Test func aFailureIsAStateAndTheNextSearchGoesOn() throws {
    let states = try states("x---------------------b")
    #expect(states.map(\.state) == [.searching, .failed, .searching, .found(["b!"])])
  }

  @Test func theSameTextIsNotSearchedForAgain() throws {
    #expect(try states("a---------------------a").map(\.state) == [.searching, .found(["a!"])])
  }
}
