import Glibc
import Pipeline

/// A file that is at its end as soon as its reader is told to stop, even one that nobody writes to just now.
final class StoppableInput: ByteSource {
  private let path: String
  private let stop: StopSign
  /// Standard input is looked at only when there is something to see.
  private var file: InputFile?

  init(_ path: String, _ stop: StopSign) throws(FileFailure) {
    self.path = path
    self.stop = stop
    if path != "-" { file = try InputFile(path) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    if file?.mayWait ?? true { wait(for: file?.number ?? 0) }
    if stop.isSet { return 0 }
    if let file { return try file.read(into: buffer) }
    let opened = try InputFile(path)
    file = opened
    return try opened.read(into: buffer)
  }

  private func wait(for number: Int32) {
    var entries = [
      pollfd(fd: number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&entries, 2, -1) < 0, errno == EINTR {}
  }
}
