import Glibc
import JSON
import Engine
import Language

/// Standard output and standard error, for texts that are no data.
enum Terminal {
  static func say(_ text: String) { put(text, 1) }

  /// Writes a message to standard error, control characters escaped: names of files and values may contain them.
  static func complain(_ text: String) { passOn(printableLines(text)) }

  /// Writes a text to standard error as it is.
  ///
  /// Where the reader does not read, this waits for room until `ErrorStream.giveUp`.
  static func passOn(_ text: String) {
    var copy = text
    copy.withUTF8 { ErrorStream.write(UnsafeRawBufferPointer($0)) }
  }

  private static func put(_ text: String, _ descriptor: Int32) {
    var copy = text
    copy.withUTF8 { _ = writeAll(descriptor, UnsafeRawBufferPointer($0)) }
  }

  /// Writes everything; false when that fails, `errno` saying why.
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

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// How many columns the terminal has; nil where there is none, or where it does not say.
  static func columns(_ descriptor: Int32) -> Int? { size(descriptor)?.columns }

  static func size(_ descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard isTerminal(descriptor), ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return (Int(size.ws_col), Int(max(1, size.ws_row)))
  }

  /// A value as JSON for people, in colour where that is wanted.
  static func pretty(_ value: Value) -> String {
    Writer(WriteOptions(indent: 2, colors: paint.isOn ? .standard : nil)).text(value) + "\n"
  }

  /// How wide texts to read on standard output are: as the terminal, unless that is too wide to read.
  static var textWidth: Int { min(columns(1) ?? 80, 100) }

  /// Colours for texts on standard output, where they are wanted.
  static var paint: Paint { Paint(isOn: Paint.isWanted(isTerminal: isTerminal(1)) { environment($0) }) }

  static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// What the system says of the last error.
  static var lastError: String { String(cString: strerror(errno)) }
}
