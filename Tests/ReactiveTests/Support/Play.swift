import Reactive
import ReactiveTesting

extension VirtualScheduler {
  /// Subscribes, runs to the end, and draws what came.
  func play<Element: Sendable>(
    _ source: Observable<Element>, from start: Duration = .zero, until end: Duration? = nil
  ) -> String {
    let recording = record(source, from: start, until: end)
    run(limit: 100_000)
    return recording.drawing.line
  }
}

extension Recording {
  /// What the stream failed with.
  var error: (any Error)? {
    guard case .failed(let error)? = records.last?.event else { return nil }
    return error
  }
}

/// What a stream does until its end, in the words of the examples: `"1, 2, |"`, with `#` for a failure.
func outcome<Element: Sendable>(
  _ build: (VirtualScheduler) throws -> Observable<Element>
) rethrows -> String {
  let clock = VirtualScheduler()
  let recording = clock.record(try build(clock))
  clock.run(limit: 1_000_000)
  return recording.records.map { record in
    switch record.event {
    case .next(let element): "\(element)"
    case .failed: "#"
    case .completed: "|"
    }
  }.joined(separator: ", ")
}
