import JSON
import Engine
import Language
import System

/// One lookup of a step as a recording has it, a line of JSON.
///
///     {"at": "2026-01-01T00:00:00Z", "step": "enrich", "url": "https://example.org/rockets/1", "answer": {"id": 1}}
///     {"at": "2026-01-01T00:00:00Z", "step": "enrich", "url": "https://example.org/rockets/2", "error": "no answer"}
///
/// An old response, used because the server failed, has its `age` in seconds as well.
/// `at` is the time of the poll that the event came with, which a replay has again, whenever the answer came.
struct RecordedLookup: Sendable {
  var at: Double
  var step: String
  /// Without its secrets.
  var url: String
  var found: Result<LookupAnswer, Sentence>

  init(at: Double, step: String, url: String, _ found: Result<LookupAnswer, Sentence>) {
    (self.at, self.step, self.url, self.found) = (at, step, url, found)
  }

  /// Nil for a value that is no lookup.
  init?(_ value: Value) {
    guard let at = RecordedPoll.time(of: value), let step = value.member("step")?.string,
      let url = value.member("url")?.string
    else { return nil }
    if let answer = value.member("answer") {
      self.init(
        at: at, step: step, url: url, .success(LookupAnswer(answer, age: value.member("age")?.double)))
    } else if let error = value.member("error")?.string {
      self.init(at: at, step: step, url: url, .failure(Sentence(error)))
    } else {
      return nil
    }
  }

  /// The line, with its end.
  var line: [UInt8] {
    var members: [(String, Value)] = [
      ("at", .string(timestamp(at))), ("step", .string(step)), ("url", .string(url)),
    ]
    switch found {
    case .success(let answer):
      members.append(("answer", answer.value))
      if let age = answer.age { members.append(("age", .number(age.rounded()))) }
    case .failure(let failure): members.append(("error", .string(failure.description)))
    }
    return Value.record(members).json + [UInt8(ascii: "\n")]
  }
}
