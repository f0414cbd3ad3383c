import JSON
import Language
import Reactive
import Store
import System

/// A dead letter of a node: an output that a sink, or an event that a step has given up.
package struct DeadLetterStatus: Sendable, Equatable {
  package var number: Int64
  /// When the node gave up, in seconds since 1970.
  package var at: Double
  package var attempts: Int
  package var reason: String
  package var id: String
  /// The content of the delivery, or the event, as JSON, without secrets.
  package var content: String

  package init(number: Int64, at: Double, attempts: Int, reason: String, id: String, content: String) {
    (self.number, self.at, self.attempts) = (number, at, attempts)
    (self.reason, self.id, self.content) = (reason, id, content)
  }

  fileprivate init(_ letter: DeadLetter) {
    self.init(
      number: letter.number, at: letter.at, attempts: letter.entry.attempts, reason: letter.reason,
      id: letter.entry.id,
      content: String(decoding: Secrets.shown(sealed: letter.entry.bytes), as: UTF8.self))
  }
}

extension PipelineRun {
  /// The oldest dead letters of a node, from any thread but the lane's; none where the lane does not come to it in time.
  package func deadLetters(
    of node: String, limit: Int = 50, within time: Duration = .seconds(1)
  ) -> [DeadLetterStatus] {
    let answer = ConditionLock<[DeadLetterStatus]?>(nil)
    lane.scheduler.perform { [lane] in
      let letters = lane.checkpointer?.deadLetters(of: node, limit: limit) ?? []
      answer.change { $0 = letters.map(DeadLetterStatus.init) }
    }
    return answer.wait(until: MonotonicClock.now + time, for: { $0 }) ?? []
  }

  /// Retries or drops dead letters of a node, all of them without numbers; false where it has ended, or keeps no state.
  ///
  /// The lane does it soon, with its next commit.
  package func resolve(_ letters: Set<Int64>?, of node: String, by way: DeadLetterEnd) -> Bool {
    guard !isOver, let checkpointer = lane.checkpointer else { return false }
    lane.scheduler.perform { checkpointer.resolve(letters, of: node, by: way) }
    return true
  }
}

extension Checkpointer {
  fileprivate func deadLetters(of node: String, limit: Int) -> [DeadLetter] {
    (try? state.value.file.deadLetters(sink: node, limit: limit)) ?? []
  }

  fileprivate func resolve(_ letters: Set<Int64>?, of node: String, by way: DeadLetterEnd) {
    guard let outbox = state.value.outboxes.first(where: { $0.name == node }) else { return }
    var last: Int64 = 0
    do {
      while case let page = try state.value.file.deadLetters(sink: node, after: last), let end = page.last {
        for letter in page where letters?.contains(letter.number) ?? true { outbox.resolve(letter, by: way) }
        last = end.number
      }
    } catch {
      fail(error)
    }
  }
}
