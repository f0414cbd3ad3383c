import Expectations
@testable import Connectors
import Trials
import Engine
import JSON
import Language
import Reactive
import Testing

/// Notifications that are repeated until they are acknowledged.
@Suite struct RepeatedMessagesTests {
  private func second(_ number: Int) -> Instant { Instant() + .seconds(number) }

  @Test("each key is due after the interval, again and again, until it is removed")
  func repetition() {
    var notes = RepeatedMessages(every: .seconds(10))
    expectNil(notes.add("a", Message(title: "A"), at: second(0), timeOfDay: 100))
    expectNil(notes.add("b", Message(title: "B"), at: second(5), timeOfDay: 105))
    #expect(notes.due(at: second(9)).isEmpty && notes.next == second(10))
    expect(notes.due(at: second(10)).map(\.title), equals: ["A"])
    expectNil(notes.add("b", Message(title: "B2"), at: second(12), timeOfDay: 112))
    expect(notes.due(at: second(20)).map(\.title), equals: ["A"])
    expect(
      notes.remove(["a", "z"]).map(\.shown),
      equals: [Unacknowledged(key: "a", title: "A", since: 100, count: 3)])
    expect(notes.remove(["a"]), equals: [])
    expect(notes.due(at: second(1000)).map(\.title), equals: ["B2"])
    notes.postpone(dueBy: second(2000), until: second(3000))
    expect(notes.next, equals: second(3000))
  }

  @Test("the next run goes on with them, at the latest after the interval; the oldest key makes room")
  func restart() {
    var notes = RepeatedMessages(every: .seconds(10))
    for number in 0...RepeatedMessages.bound {
      let lost = notes.add("\(number)", Message(title: "x"), at: second(5000), timeOfDay: 1)
      expect(lost, equals: (number == RepeatedMessages.bound ? "0" : nil))
    }
    var next = RepeatedMessages(every: .seconds(10))
    next.resume(notes.jsonValue, at: second(3))
    #expect(next.entries.count == RepeatedMessages.bound && next.next == second(13))
    expect(next.entries.map(\.key), equals: notes.entries.map(\.key))
  }

  @Test("a notification is sent again at its interval, until the end of the run where nothing is stored")
  func sink() throws {
    let sink = #"tell: { notify: { title: '\(.name)', until: acknowledged, repeat: 30s } }"#
    let seen = try SinkBench(afterwards: .seconds(65)).run(sink, polls: [[#"{"name":"n1"}"#]])
    expect(seen.log.filter { $0.hasPrefix("tell") }, equals: ["tell: n1", "tell: n1", "tell: n1"])
  }

  @Test("options that need it, and a digest, are refused")
  func problems() {
    #expect(SinkBench.problems("t: { notify: { title: x, repeat: 1h } }").contains("no effect without until"))
    let digest = SinkBench.problems("t: { notify: { title: x, until: acknowledged, digest: hourly } }")
    #expect(digest.contains("cannot be repeated"))
  }

  @Test("what is acknowledged before quiet hours end is not sent then")
  func heldAndAcknowledged() {
    var held = HeldMessages()
    held.add(Message(title: "a"), until: 100)
    held.add(Message(title: "b"), until: 100)
    held.remove(Message(title: "a"))
    #expect(held.messages.map(\.title) == ["b"] && held.count == 1 && held.until == 100)
    held.remove(Message(title: "b"))
    #expect(held.count == 0 && held.until == nil)
  }
}
