import Glibc
import Engine
import Language
import System

extension Terminal {
  /// Standard output for sinks.
  static var screen: Screen {
    let isTerminal = isTerminal(1)
    return Screen(
      isTerminal: isTerminal, hasColors: Paint.isWanted(isTerminal: isTerminal) { environment($0) },
      size: { size(1) ?? (80, 24) }, isOurs: { isForeground(1) }
    ) { bytes in
      if bytes.withUnsafeBytes({ writeAll(1, $0) }) { return }
      if errno == EPIPE { throw ReaderGone() }
      throw Sentence("standard output cannot be written: \(lastError)")
    }
  }

  /// Standard error, if it is a terminal and standard output is not.
  private static let errorScreen = Screen(
    isTerminal: true, hasColors: Paint.isWanted(isTerminal: true) { environment($0) },
    size: { size(2) ?? (80, 24) }, isOurs: { isForeground(2) }
  ) { bytes in _ = bytes.withUnsafeBytes { writeAll(2, $0) } }

  /// Whether the shell has this process in the foreground of the terminal, as far as is known.
  private static func isForeground(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    return group < 0 || group == getpgrp()
  }

  /// The screen at whose end progress can be drawn; nil if standard error is not a terminal.
  static func screenOfErrors(beside screen: Screen) -> Screen? {
    guard isTerminal(2) else { return nil }
    return screen.isTerminal ? screen : errorScreen
  }

  /// Writes printable text to standard error, above what is drawn in place on a screen of the same terminal.
  static func complain(_ text: String, beside screen: Screen) {
    if let screen = screenOfErrors(beside: screen) {
      screen.aside { passOn(text) }
    } else {
      passOn(text)
    }
  }
}
