import Expectations
import Trials
import JSON
import Engine
import Language
import Testing

@testable import Delivery
import System

@Suite struct RecordedPollTests {
  private func text(_ poll: RecordedPoll) -> String { String(decoding: poll.line, as: UTF8.self) }

  @Test(
    "what is written is read again as it was",
    arguments: [
      #"{"at":"2026-01-01T00:00:00Z","rows":[]}"#,
      #"{"at":"2026-01-01T00:00:00.250Z","rows":[{"id":1},2]}"#,
      #"{"at":"2026-01-01T00:00:00Z","rows":[1],"meta":{"stale":true,"age":5},"coverage":"partial"}"#,
      #"{"at":"2026-01-01T00:00:00Z","rows":[1],"coverage":"complete"}"#,
      #"{"at":"2026-01-01T00:00:00Z","rows":[1],"coverage":"truncated"}"#,
      #"{"at":"2026-01-01T00:00:00Z","rows":[1],"coverage":"truncated","order":"-.stats.net","last":7,"moves":true}"#,
      #"{"at":"2026-01-01T00:00:00Z","error":"no answer"}"#,
    ])
  func again(_ line: String) throws {
    try expect(text(RecordedPoll(try Value.parse(line))), equals: line + "\n")
  }

  @Test("a time may have an offset, or be seconds since 1970")
  func times() throws {
    let offset = try RecordedPoll(try Value.parse(#"{"at":"1970-01-01T02:00:00+02:00","rows":[]}"#))
    let number = try RecordedPoll(try Value.parse(#"{"at":0,"rows":[]}"#))
    #expect(offset.at == 0 && number.at == 0)
  }

  @Test("a recording from before there was a coverage says whole: false of a partial poll")
  func older() throws {
    let poll = try RecordedPoll(try Value.parse(#"{"at":0,"rows":[],"whole":false}"#))
    expect(poll.answer(assuming: { _ in .complete }).coverage, equals: .partial)
    let unknown = try RecordedPoll(try Value.parse(#"{"at":0,"rows":[1]}"#))
    expect(
      unknown.answer(assuming: { $0.count == 1 ? .truncated(nil) : .complete }).coverage,
      equals: .truncated(nil))
  }

  @Test("a script has the rows, the notes and the coverage, or the failure")
  func answers() throws {
    let notes = Value.record([("stale", .bool(true))])
    let answer = RecordedPoll(at: 3, .rows([.number(1)], notes: notes, coverage: .partial)).answer(assuming: {
      _ in .complete
    })
    guard case .poll(let rows) = answer.content, rows == [.number(1)] else { throw WrongKind() }
    #expect(answer.at == 3 && answer.notes.member("stale") == .bool(true) && answer.coverage == .partial)
    let failure = RecordedPoll(at: 3, .error("no")).answer(assuming: { _ in .complete })
    guard case .failure("no") = failure.content else { throw WrongKind() }
  }

  private struct WrongKind: Error {}

  @Test(
    "what is no poll is reported",
    arguments: [
      (#"{"rows":[]}"#, "has no time"), (#"{"at":"noon","rows":[]}"#, "has no time"), ("[]", "has no time"),
      (#"{"at":1}"#, "neither rows nor an error"), (#"{"at":1,"rows":{}}"#, "neither rows nor an error"),
    ])
  func wrong(_ line: String, _ what: String) throws {
    do {
      _ = try RecordedPoll(try Value.parse(line))
      Issue.record("\(line) is no poll")
    } catch let wrong as Sentence {
      #expect(wrong.description.contains(what))
    }
  }
}
