import Glibc
import JSON
import Engine
import Language

/// What `flow tail` shows of the lines it reads, and what it counts of those it does not.
final class TailView {
  private let output: Output
  private let failure = Failure()
  private let filter: Evaluator?
  private let isRaw: Bool
  private var line: TailLine
  private let isTerminal = Terminal.isTerminal(1)
  private let hasHeaders: Bool
  private var shownFile: String?
  private var notJSON = 0
  private var failures = 0
  private var firstFailure = ""
  private var isStopped = false
  /// Why nothing can be written any more; a reader that has gone away is no failure.
  private(set) var outcome: Int32?

  /// - Parameters:
  ///   - filter: shows only lines for which it is true.
  ///   - isRaw: lines as they are, and only those that are JSON.
  ///   - hasHeaders: says which file lines are of.
  init(line: TailLine, filter: Evaluator?, isRaw: Bool, hasHeaders: Bool) {
    output = Output { [failure] bytes in
      if Terminal.writeAll(1, bytes) { return true }
      failure.code = errno
      return false
    }
    self.line = line
    self.filter = filter
    self.isRaw = isRaw
    self.hasHeaders = hasHeaders && !isRaw
  }

  /// The line as an entry; nil where it is not to be shown.
  func entry(_ bytes: [UInt8]) -> TailEntry? {
    guard let entry = TailEntry(bytes) else { return nil }
    guard let value = entry.value else {
      notJSON += 1
      return isRaw || filter != nil ? nil : entry
    }
    guard let filter else { return entry }
    do {
      return try filter.isTrue(value) ? entry : nil
    } catch {
      if failures == 0 { firstFailure = TailView.reason(error) }
      failures += 1
      return nil
    }
  }

  func take(_ bytes: [UInt8], of file: TailFile) {
    if let entry = entry(bytes) { show(entry, of: file) }
  }

  func show(_ entry: TailEntry, of file: TailFile) {
    if hasHeaders, shownFile != file.path {
      put(line.paint("==> \(printable(file.path)) <==", .bold))
      shownFile = file.path
    }
    if !isRaw {
      for text in line.lines(entry) { put(text) }
    } else if isTerminal {
      put(printable(String(decoding: entry.bytes, as: UTF8.self)))
    } else {
      output.put(entry.bytes)
      output.put(0x0A)
    }
  }

  private func put(_ text: String) {
    output.put(text)
    output.put(0x0A)
  }

  /// Says something about a file to whoever watches, after what was shown.
  func note(_ message: String) {
    flush()
    Terminal.complain("flow tail: \(printable(message))\n")
  }

  /// Writes what was shown and says what was counted; false when nobody reads any more.
  ///
  /// Looks how late it is and how wide the terminal, too.
  @discardableResult
  func flush() -> Bool {
    output.flush()
    if outcome != nil || isStopped { return false }
    if output.hasFailed {
      outcome = failure.code == EPIPE ? ExitStatus.done : ExitStatus.failed
      if failure.code != EPIPE {
        Terminal.complain(
          "flow tail: the output cannot be written: \(String(cString: strerror(failure.code)))\n")
      }
      return false
    }
    if notJSON > 0 {
      let left = isRaw || filter != nil ? ", left out" : ""
      let count = notJSON
      notJSON = 0
      note("\(count == 1 ? "1 line is" : "\(count) lines are") not JSON\(left)")
    }
    if failures > 0 {
      let count = failures
      failures = 0
      note("--where failed on \(count == 1 ? "1 line" : "\(count) lines"), left out: \(firstFailure)")
    }
    line.width = Terminal.columns(1)
    filter?.environment.now = EvalEnvironment.now
    return true
  }

  /// Nobody reads any more.
  func stop() { isStopped = true }

  private static func reason(_ error: any Error) -> String {
    guard case EvaluationError.error(let value, let location) = error else { return "\(error)" }
    let place = location.map { ", at column \($0.column)" } ?? ""
    return (value.string ?? value.description) + place
  }

  /// What the system said when writing failed.
  private final class Failure { var code: Int32 = 0 }
}
