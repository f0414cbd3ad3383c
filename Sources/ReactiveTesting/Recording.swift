import Reactive

/// A recording of a stream in virtual time.
///
/// ```
/// let clock = VirtualScheduler()
/// let source = try clock.hot("-a--b-|")
/// let recording = clock.record(source.map { $0.uppercased() })
/// clock.run()
/// recording.drawing.line  // "-A--B-|"
/// ```
public final class Recording<Element: Sendable>: Sendable {
  /// The subscription that is recorded.
  public let subscription = Subscription()
  private let clock: VirtualScheduler
  private let log = Locked<[(time: Instant, event: StreamEvent<Element>)]>([])

  fileprivate init(on clock: VirtualScheduler) {
    self.clock = clock
  }

  /// The events so far, with their times.
  public var records: [(time: Instant, event: StreamEvent<Element>)] { log.withLock { $0 } }

  /// The elements so far.
  public var elements: [Element] { records.compactMap(\.event.element) }

  /// The events so far as marbles.
  public var drawing: MarbleDrawing { MarbleDrawing(records) }

  fileprivate func note(_ event: StreamEvent<Element>) {
    log.withLock { $0.append((clock.now, event)) }
  }

  fileprivate func start(_ source: Observable<Element>) {
    source.subscribe(
      in: subscription, next: { [self] in note(.next($0)) }, fail: { [self] in note(.failed($0)) },
      complete: { [self] in note(.completed) })
  }
}

extension VirtualScheduler {
  /// Records a stream, from now or a later time on, and until a given time if it has not ended by then.
  public func record<Element: Sendable>(
    _ source: Observable<Element>, from start: Duration = .zero, until end: Duration? = nil
  ) -> Recording<Element> {
    let recording = Recording<Element>(on: self)
    if start == .zero {
      recording.start(source)
    } else {
      _ = schedule(after: start) { recording.start(source) }
    }
    if let end { _ = schedule(after: end) { recording.subscription.dispose() } }
    return recording
  }
}
