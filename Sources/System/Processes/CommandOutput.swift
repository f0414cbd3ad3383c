import Glibc
import Reactive

/// The standard output of a running command, read as it is printed.
///
///     let output = try CommandOutput(command, stop: stop) { log($0) }
///     // … read(into:) until it gives 0 …
///     let end = output.end()
package final class CommandOutput: ByteSource {
  /// How long a command that has closed its output may take to end by itself.
  private static let grace: Duration = .milliseconds(500)

  private let child: Spawned
  private let stop: StopSign
  private let killAfter: Duration
  private var output: ChildOutput
  private var errors: ChildOutput
  private var errorLines = ErrorLines()
  private let onErrorLine: (String) -> Void
  private var hasEnded = false

  /// Whether it was stopped before the end of the output.
  package var isCutShort: Bool { stop.isSet }

  /// Starts the command; its own `output` and `timeout` have no effect.
  package init(
    _ command: ChildCommand, input bytes: [UInt8] = [], stop: StopSign,
    onErrorLine: @escaping (String) -> Void
  ) throws(StartFailure) {
    var command = command
    command.output = .captured(limit: 0)
    let input = try Descriptor.holding(bytes)
    let outputPipe = try Pipe()
    let errorPipe = try Pipe()
    child = try Spawn.start(
      command, environment: [:], input: input, output: outputPipe.writing, errors: errorPipe.writing)
    output = ChildOutput(from: outputPipe.reading)
    errors = ChildOutput(from: errorPipe.reading)
    killAfter = command.killAfter
    self.stop = stop
    self.onErrorLine = onErrorLine
  }

  /// Waits for output; 0 once the command has ended or closed it, or once stopped.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      if let bytes = output.read(into: buffer) { return bytes.count }
      if stop.isSet || hasEnded || output.number < 0 { return 0 }
      wait(until: .distantFuture)
    }
  }

  /// Waits for output, an error line, the end or the stop sign, and takes error lines.
  private func wait(until deadline: Instant, stopNumber: Int32? = nil) {
    let ready = awaitDescriptors(
      [
        .input(output.number), .input(errors.number), .input(stopNumber ?? stop.descriptor),
        .input(child.exit.number),
      ],
      // Polled if the kernel does not report the end of a child.
      until: child.exit.isOpen ? deadline : min(deadline, MonotonicClock.now + .milliseconds(10)))
    if ready[1] { takeErrors(1) }
    if ready[3] { hasEnded = true }
  }

  private func takeErrors(_ rounds: Int) {
    withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 16) { buffer in
      for _ in 0..<rounds {
        guard let bytes = errors.read(into: buffer) else { return }
        errorLines.take(bytes, onErrorLine)
      }
    }
  }

  /// Ends the command with SIGTERM, and SIGKILL if that does not help, unless it ends by itself at once; returns how it
  /// has ended.
  package func end() -> ChildEnd {
    let isStopped = stop.isSet
    var ending = ChildEnding(
      of: child.process, timeout: isStopped ? .zero : Self.grace, killAfter: killAfter)
    while true {
      ending.advance(at: MonotonicClock.now, isStopped: false)
      if ending.isGivenUp { break }
      if ending.hasEnded { break }
      wait(until: ending.deadline, stopNumber: -1)
    }
    let end = ending.conclude()
    takeErrors(16)
    errorLines.end(onErrorLine)
    return isStopped ? .stopped : end
  }
}
