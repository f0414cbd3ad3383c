import Reactive

/// A source that follows a drawing in virtual time, and notes who was subscribed when.
///
/// ```
/// let clock = VirtualScheduler()
/// let source = try clock.cold("--a|")
/// let recording = clock.record(source.repeat(2))
/// clock.run()
/// recording.drawing.line  // "--a--a|"
/// source.subscriptions  // ["^--!", "---^--!"]
/// ```
public final class TestSource<Element: Sendable>: Observable<Element>, @unchecked Sendable {
  private let script: Script<Element>

  fileprivate init(
    _ marbles: Marbles, on clock: VirtualScheduler, hot: Bool, step: Duration,
    element: @escaping @Sendable (Character) -> Element
  ) {
    let script = Script(marbles, on: clock, hot: hot, step: step, element: element)
    self.script = script
    super.init(attaching: { observer, subscription in script.attach(observer, in: subscription) })
  }

  /// Who was subscribed when, drawn: `"--^---!"` from step 2 until step 6, `"--^"` from step 2 without end.
  public var subscriptions: [String] { script.subscriptions }
}

private final class Script<Element: Sendable>: Sendable {
  private let clock: VirtualScheduler
  private let marbles: Marbles
  private let element: @Sendable (Character) -> Element
  private let step: Duration
  /// For a hot source, which runs with or without subscribers.
  private let subject: PublishSubject<Element>?
  private let spans = Locked<[(start: Instant, end: Instant?)]>([])

  init(
    _ marbles: Marbles, on clock: VirtualScheduler, hot: Bool, step: Duration,
    element: @escaping @Sendable (Character) -> Element
  ) {
    self.clock = clock
    self.marbles = marbles
    self.element = element
    self.step = step
    subject = hot ? PublishSubject() : nil
    if let subject { play(into: subject, from: clock.now, in: Subscription()) }
  }

  func attach(_ observer: any Observer<Element>, in subscription: Subscription) {
    let index = spans.withLock { spans in
      spans.append((clock.now, nil))
      return spans.count - 1
    }
    subscription.onDispose { [self] in spans.withLock { $0[index].end = clock.now } }
    if let subject {
      subject.attach(observer, in: subscription)
    } else {
      play(into: observer, from: clock.now, in: subscription)
    }
  }

  var subscriptions: [String] {
    spans.withLock { $0 }.map { span in
      let start = Int(span.start.nanoseconds / step.nanoseconds)
      let line = String(repeating: "-", count: start)
      guard let end = span.end.map({ Int($0.nanoseconds / step.nanoseconds) }) else { return line + "^" }
      if end == start { return line + "(^!)" }
      return line + "^" + String(repeating: "-", count: end - start - 1) + "!"
    }
  }

  private func play(into observer: any Observer<Element>, from start: Instant, in subscription: Subscription)
  {
    for moment in marbles.steps {
      let timer = clock.schedule(at: start + step * moment.time) { [element] in
        for event in moment.events where !subscription.isDisposed {
          switch event {
          case .next(let character): observer.next(element(character))
          case .failed(let error): observer.fail(error)
          case .completed: observer.complete()
          }
        }
      }
      subscription.onDispose { timer.dispose() }
    }
  }
}

extension VirtualScheduler {
  /// A source that runs from now on, heard or not.
  public func hot(_ drawing: String, step: Duration = .seconds(1)) throws -> TestSource<String> {
    try TestSource(Marbles(drawing), on: self, hot: true, step: step) { String($0) }
  }

  /// A source that starts again for each subscriber.
  public func cold(_ drawing: String, step: Duration = .seconds(1)) throws -> TestSource<String> {
    try TestSource(Marbles(drawing), on: self, hot: false, step: step) { String($0) }
  }

  /// A source whose marks stand for elements of any kind; a mark that is not in the table stops the test.
  public func hot<Element: Sendable>(
    _ drawing: String, _ elements: [Character: Element], step: Duration = .seconds(1)
  ) throws -> TestSource<Element> {
    try TestSource(Marbles(drawing), on: self, hot: true, step: step) { Self.look(up: $0, in: elements) }
  }

  /// A source whose marks stand for elements of any kind, starting again for each subscriber.
  public func cold<Element: Sendable>(
    _ drawing: String, _ elements: [Character: Element], step: Duration = .seconds(1)
  ) throws -> TestSource<Element> {
    try TestSource(Marbles(drawing), on: self, hot: false, step: step) { Self.look(up: $0, in: elements) }
  }

  private static func look<Element>(up mark: Character, in elements: [Character: Element]) -> Element {
    guard let element = elements[mark] else { preconditionFailure("no element is given for '\(mark)'") }
    return element
  }
}
