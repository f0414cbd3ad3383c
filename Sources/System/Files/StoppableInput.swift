import Glibc

/// A file that is at its end as soon as its reader is told to stop, even one that nobody writes to just now.
package final class StoppableInput: ByteSource {
  private let path: String
  private let stop: StopSign
  /// Standard input and pipes are looked at only when there is something to see.
  private var file: InputFile?
  /// A pipe that has not been looked at.
  private var pipe: OpenDescriptor?

  /// It was told to stop before the end of the file.
  package private(set) var isCutShort = false

  /// Which file it is, where that can be told and read again.
  package private(set) var identity: FileIdentity?

  /// The fingerprint of what was read of it, packed as it may be; nil where it cannot be read again.
  package var fingerprint: FileFingerprint? {
    guard identity != nil, let file else { return nil }
    return FileFingerprint(file.number, upTo: lseek(file.number, 0, SEEK_CUR))
  }

  /// Opens a file at a place that was read up to before, which pipes do not have.
  package init(_ path: String, _ stop: StopSign, at offset: Int = 0) throws(FileFailure) {
    self.path = path
    self.stop = stop
    if path == "-" { return }
    if mayWait(path) {
      // To open it without this would be to wait for somebody who writes.
      pipe = try OpenDescriptor(opening: path, O_RDONLY | O_NONBLOCK, to: "open")
    } else {
      let opened = try InputFile(path)
      identity = opened.identity
      if offset > 0, try !opened.skip(to: offset) {
        throw FileFailure(path, "ends before byte \(offset), up to which it was read")
      }
      file = opened
    }
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    if file?.mayWait ?? true { wait(for: file?.number ?? pipe?.number ?? 0) }
    if stop.isSet {
      isCutShort = true
      return 0
    }
    if let file { return try file.read(into: buffer) }
    if let pipe { _ = fcntl(pipe.number, F_SETFL, fcntl(pipe.number, F_GETFL) & ~O_NONBLOCK) }
    let opened = try InputFile(path, opened: pipe)
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

/// Whether it is a pipe or a device.
private func mayWait(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
}
