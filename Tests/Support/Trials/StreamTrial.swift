@testable import Delivery
import JSON
import Language
import Reactive
import Store
import TestSupport
import Testing

@testable import Engine

/// A running pipeline with a source that reads on, and what has come from it.
///
/// With a sink of its own it is that which has the events.
package final class StreamTrial {
  package let heard = Journal<String>()
  package let log = Journal<String>()
  package let ends = Journal<Bool>()
  /// Events wait here while it is closed.
  package let gate = ConditionLock(true)
  package let run: PipelineRun

  /// - Parameter source: The source, as a pipeline has it.
  package init(
    _ source: String, map: String, sink: String? = nil, once: Bool = false, speed: Double = 1,
    isOpen: Bool = true,
    _ state: TemporaryState? = nil
  ) throws {
    gate.change { $0 = isOpen }
    let plan = try Trial.plan(
      """
      sources: { in: { \(source) } }
      steps: [{ map: '\(map)' }]
      sinks: { it: { \(sink ?? "'null': {}") } }

      """)
    let (heard, log, ends, gate) = (heard, log, ends, gate)
    var world = World.real
    world[WebAccess.self] = realWeb()
    if speed != 1 { world.speed = Speed(speed) }
    var options = RunOptions(world: world, log: Log { log.note($0.message) }, screen: silentScreen)
    options.isOnce = once
    if sink == nil {
      options.sink = { _, _ in
        Hearing { value in
          _ = gate.wait { $0 ? true : nil }
          heard.note("\(value)")
        }
      }
    }
    if let state {
      options.state = { _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
    }
    run = try PipelineRun(plan, options, clock: nil) { ends.note($0) }
    run.start()
  }

  deinit { stop() }

  package func stop() {
    run.stop()
    gate.change { $0 = true }
    #expect(eventually { !ends.entries.isEmpty })
  }

  package func expect(_ entries: String...) {
    #expect(eventually { heard.entries.count >= entries.count } && heard.entries == entries)
  }
}

private final class Hearing: Sink {
  private let note: (Value) -> Void

  package init(_ note: @escaping (Value) -> Void) { self.note = note }

  package func take(_ event: Event) { note(event.value) }
}
