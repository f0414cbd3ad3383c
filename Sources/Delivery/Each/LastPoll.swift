import Engine
import JSON
import Language

/// The notes of the last good poll of an address or command, which templates see as `$last`.
package final class LastPoll {
  package static let variable = "last"

  /// `{ at, note }`; null before the first poll.
  package private(set) var value: Value
  private let note: Evaluation?

  package init(_ options: Options, _ context: SourceContext) {
    value = context.position?.member("last") ?? .null
    note = options[EachOptions.note].map { context.evaluation($0) }
  }

  /// Notes a poll with these rows.
  package func note(_ rows: [Value], of poll: PollRequest) throws { try note(rows, poll.poll()) }

  package func note(_ rows: [Value], _ poll: Poll) throws {
    let before = value
    value = .record([("at", .string(timestamp(poll.at)))])
    guard let note else { return }
    note.set(Self.variable, before)
    do {
      value.setMember("note", (try note.first(Event(.array(rows), poll)) ?? .null).detach())
    } catch {
      value = before
      throw error
    }
  }
}

extension PollRequest {
  /// The event for the templates of a source: the entry that it is polled for, or null.
  package func templateEvent(_ context: SourceContext) -> Event {
    Event(context.entry?.value ?? .null, poll(notes: context.entry?.notes ?? .emptyObject))
  }
}
