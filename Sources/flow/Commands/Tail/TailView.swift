import Glibc
import JSON
import Engine
import Language
import System

/// The output of `flow tail`: formats and prints lines, and counts those it does not print.
final class TailView {
  private let output: Output
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

  /// - Parameters:
  ///   - filter: shows only lines for which it is true.
  ///   - isRaw: lines as they are, and only those that are JSON.
  ///   - hasHeaders: says which file lines are of.
  init(line: TailLine, filter: Evaluator?, isRaw: Bool, hasHeaders: Bool) {
    output = StandardOutput.buffer
    self.line = line
    self.filter = filter
    self.isRaw = isRaw
    self.hasHeaders = hasHeaders && !isRaw
  }

  /// The line as an entry; nil if it is not to be shown.
  func entry(_ line: LogLine) -> TailEntry? {
    guard let entry = TailEntry(line) else { return nil }
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

  func take(_ line: LogLine, of path: String) {
    if let entry = entry(line) { show(entry, of: path) }
  }

  func show(_ entry: TailEntry, of path: String) {
    if hasHeaders, shownFile != path {
      put(line.paint("==> \(printable(path)) <==", .bold))
      shownFile = path
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

  /// Reports something about a file on standard error, after what was printed.
  func complain(_ message: String) {
    flush()
    Terminal.complain("flow tail: \(printable(message))\n")
  }

  /// Writes the output and reports the counts; false when the output has no reader any more.
  ///
  /// Also updates the time and the width of the terminal.
  @discardableResult
  func flush() -> Bool {
    output.flush()
    if !isOpen { return false }
    if notJSON > 0 {
      let left = isRaw || filter != nil ? ", skipped" : ""
      let count = notJSON
      notJSON = 0
      complain("\(count == 1 ? "1 line is" : "\(count) lines are") not JSON\(left)")
    }
    if failures > 0 {
      let count = failures
      failures = 0
      complain("--where failed on \(count == 1 ? "1 line" : "\(count) lines"), skipped: \(firstFailure)")
    }
    line.width = Terminal.columns(1)
    filter?.environment.now = EvalEnvironment.now
    return true
  }

  /// Whether the output has no reader any more.
  func stop() { isStopped = true }

  /// Whether more can be written.
  var isOpen: Bool { !output.hasFailed && !isStopped }

  static func reason(_ error: any Error) -> String {
    guard case EvaluationError.error(let value, let location) = error else { return "\(error)" }
    let place = location.map { ", at column \($0.column)" } ?? ""
    return (value.string ?? value.description) + place
  }
}
