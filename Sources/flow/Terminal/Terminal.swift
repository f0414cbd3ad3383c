import Glibc
import JSON
import Engine
import Language
import System

/// Standard output and standard error, for text that is not data.
enum Terminal {
  static func say(_ text: String) { _ = StandardOutput.write(text) }

  /// Writes a message to standard error with control characters escaped, since it may contain file names and values.
  static func complain(_ text: String) { passOn(printableLines(text)) }

  /// Writes a text to standard error as it is.
  ///
  /// Without a reader, this waits for room until `ErrorStream.giveUp`.
  static func passOn(_ text: String) {
    var copy = text
    copy.withUTF8 { ErrorStream.write(UnsafeRawBufferPointer($0)) }
  }

  /// Writes everything; false if that fails, with the reason in `errno`.
  static func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position < bytes.count {
      let count = write(descriptor, bytes.baseAddress.map { $0 + position }, bytes.count - position)
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      position += count
    }
    return true
  }

  /// Ends the process with the status of an interruption when one comes from the keyboard, unless the shell has the
  /// command ignore it.
  static func exitOnInterrupt() {
    var action = sigaction()
    guard sigaction(SIGINT, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { return }
    signal(SIGINT) { _ in _exit(ExitStatus.interrupted) }
    // A parent that starts commands from a thread with blocked signals passes the mask on to them.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  static func isPipe(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  /// The width of the terminal; nil if there is none, or if it is unknown.
  static func columns(_ descriptor: Int32) -> Int? { size(descriptor)?.columns }

  static func size(_ descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard isTerminal(descriptor), ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return (Int(size.ws_col), Int(max(1, size.ws_row)))
  }

  /// A value as JSON for people, in colour if wanted.
  static func pretty(_ value: Value) -> String {
    Writer(WriteOptions(indent: 2, colors: paint.isOn ? .standard : nil)).text(value) + "\n"
  }

  /// The width for texts on standard output: that of the terminal, up to a readable maximum.
  static var textWidth: Int { min(columns(1) ?? 80, 100) }

  /// Colours for texts on standard output, if wanted.
  static var paint: Paint { Paint(isOn: Paint.isWanted(isTerminal: isTerminal(1)) { environment($0) }) }

  static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The system's message for the last error.
  static var lastError: String { systemReason(errno) }
}
