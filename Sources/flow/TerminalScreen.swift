import Glibc
import Pipeline

extension Terminal {
  /// Standard output for sinks.
  static var screen: Screen {
    let isTerminal = isTerminal(1)
    return Screen(
      isTerminal: isTerminal, hasColors: Paint.isWanted(isTerminal: isTerminal) { environment($0) },
      size: { size(1) ?? (80, 24) }
    ) { bytes in
      if bytes.withUnsafeBytes({ writeAll(1, $0) }) { return }
      if errno == EPIPE { throw ReaderGone() }
      throw CannotWrite(reason: lastError)
    }
  }

  /// Writes to standard error, above what is drawn in place on a screen that is the same terminal.
  static func complain(_ text: String, beside screen: Screen) {
    if screen.isTerminal, isTerminal(2) {
      screen.aside { complain(text) }
    } else {
      complain(text)
    }
  }

  private struct CannotWrite: Error, CustomStringConvertible {
    let reason: String
    var description: String { "standard output cannot be written: \(reason)" }
  }
}
