import CGlibc
import Glibc
import Reactive

/// One run of a command, from its start until nothing of it is left, on the calling thread in one poll(2) loop.
package struct ChildRun: ~Copyable {
  private let child: Spawned
  private let stop: StopSign?
  private var ending: ChildEnding
  private var output: ChildOutput
  private var errors: ChildOutput
  private var captured: Captured
  private var errorLines = ErrorLines()

  /// The interval at which the end of a child is polled if the kernel does not report it.
  private static let tick: Duration = .milliseconds(10)

  /// Starts the command.
  package init(
    _ command: ChildCommand, input bytes: [UInt8], environment: [String: String], stop: StopSign?
  ) throws(StartFailure) {
    let input = try Descriptor.holding(bytes)
    let outputPipe = try Pipe(unless: command.output.captureLimit == nil)
    let errorPipe = try Pipe()
    child = try Spawn.start(
      command, environment: environment, input: input, output: outputPipe.writing,
      errors: errorPipe.writing)
    // The child's ends are closed here with the pipes: a reader sees the end once all writers are gone.
    output = ChildOutput(from: outputPipe.reading)
    errors = ChildOutput(from: errorPipe.reading)
    captured = Captured(limit: command.output.captureLimit ?? 0)
    ending = ChildEnding(of: child.process, timeout: command.timeout, killAfter: command.killAfter)
    self.stop = stop
  }

  /// Serves the child until it has ended.
  package consuming func finish(_ onErrorLine: (String) -> Void) -> ChildResult {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    var hasEnded = false
    while !hasEnded {
      ending.advance(at: MonotonicClock.now, isStopped: stop?.isSet == true)
      if ending.isGivenUp { break }
      hasEnded = serve(buffer, onErrorLine)
    }
    let end = ending.conclude()
    drain(buffer, onErrorLine)
    errorLines.end(onErrorLine)
    return ChildResult(end: end, output: captured.bytes, outputLost: captured.lost)
  }

  /// Waits for something to do, and does it; returns whether the child has ended.
  private mutating func serve(
    _ buffer: UnsafeMutableRawBufferPointer, _ onErrorLine: (String) -> Void
  ) -> Bool {
    // Once set, it stays set and has been handled.
    let stopNumber = ending.isKilled ? -1 : stop?.descriptor ?? -1
    let ready = awaitDescriptors(
      [.input(child.exit.number), .input(stopNumber), .input(output.number), .input(errors.number)],
      until: child.exit.isOpen ? ending.deadline : min(ending.deadline, MonotonicClock.now + Self.tick))
    if ready[2], let bytes = output.read(into: buffer) { captured.append(bytes) }
    if ready[3], let bytes = errors.read(into: buffer) { errorLines.take(bytes, onErrorLine) }
    return child.exit.isOpen ? ready[0] : ending.hasEnded
  }

  /// Reads what the child has printed before its end, which is all in the pipes.
  ///
  /// Not to the end of the pipes, which processes that have left the group may hold open; and only for a limited time,
  /// because they may be printing.
  private mutating func drain(_ buffer: UnsafeMutableRawBufferPointer, _ onErrorLine: (String) -> Void) {
    for _ in 0..<16 {
      guard let bytes = output.read(into: buffer) else { break }
      captured.append(bytes)
    }
    for _ in 0..<16 {
      guard let bytes = errors.read(into: buffer) else { break }
      errorLines.take(bytes, onErrorLine)
    }
  }
}

/// The output of a child, up to a limit.
private struct Captured {
  let limit: Int
  var bytes: [UInt8] = []
  var lost = 0

  init(limit: Int) {
    self.limit = limit
  }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    let taken = min(more.count, max(0, limit - bytes.count))
    bytes.append(contentsOf: more[..<taken])
    lost += more.count - taken
  }
}
