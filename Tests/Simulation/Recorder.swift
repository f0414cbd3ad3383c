import JSON
import Engine
import Language
import Reactive
import Store

/// What was run of what a pipeline has told to be run, by all its lives together.
final class Attempts: Sendable {
  private let done = Locked<[Witness.Output]>([])

  var all: [Witness.Output] { done.withLock { $0 } }

  func add(_ output: Witness.Output) { done.withLock { $0.append(output) } }
}

/// A sink that runs something for each event, which sometimes fails and is retried.
final class Recorder: KeepingSink {
  private let context: SinkContext
  private let life: Life
  private var waiting: [OutboxEntry] = []

  init(_ context: SinkContext, _ life: Life) {
    self.context = context
    self.life = life
  }

  func take(_ event: Event) throws {
    guard let outbox = context.outbox else { return }
    let output = Witness.Output(id: try outbox.nextID(), bytes: event.value.json)
    outbox.put(output.bytes, id: output.id)
    life.witness.put(output)
  }

  func recover(_ entries: [OutboxEntry]) { run(entries) }
  func willCommit() { if life.isRunning { life.witness.willCommit() } }

  func didCommit(_ entries: [OutboxEntry]) {
    if life.isRunning { life.witness.didCommit() }
    run(entries)
  }

  func wake() {
    let again = waiting
    waiting = []
    run(again)
  }

  private func run(_ entries: [OutboxEntry]) {
    for entry in entries where life.isRunning {
      if life.below(8) == 0 { life.stopSoon() }
      guard life.isRunning else { return }
      var entry = entry
      life.attempts.add(Witness.Output(id: entry.id, bytes: entry.bytes))
      // Where the process dies now, what it has done is done and not known.
      if entry.attempts >= 3 || life.below(4) > 0 {
        context.outbox?.remove(entry.place)
      } else {
        entry.attempts += 1
        entry.due = context.lane.world.wallClock() + 5
        context.outbox?.retry(entry)
        waiting.append(entry)
      }
    }
    if !waiting.isEmpty { context.alarm.set(at: context.now + .seconds(5)) }
  }
}
