import Glibc

/// A file that ends as soon as its reader is stopped, even while it waits for a writer.
package final class StoppableInput: ByteSource {
  private let path: String
  private let stop: StopSign
  /// Whether to poll before reading, as for standard input and pipes.
  private var file: InputFile?
  /// A pipe whose first bytes have not been examined yet.
  private var pipe: OpenDescriptor?

  /// Whether it was stopped before the end of the file.
  package private(set) var isCutShort = false

  /// The identity of the file, if it has one and can be read again.
  package private(set) var identity: FileIdentity?

  /// The fingerprint of the raw bytes read; nil if the file cannot be read again.
  package var fingerprint: FileFingerprint? {
    guard identity != nil, let file else { return nil }
    return FileFingerprint(file.number, upTo: lseek(file.number, 0, SEEK_CUR))
  }

  /// How many bytes of the file have been read, and how many it has; nil for a pipe.
  ///
  /// Of a compressed file these are the compressed ones.
  package var extent: (read: Int, size: Int)? {
    var status = stat()
    guard let file, !file.mayWait, fstat(file.number, &status) == 0 else { return nil }
    return (Int(lseek(file.number, 0, SEEK_CUR)), Int(status.st_size))
  }

  /// Opens a file at an offset that was read before; pipes have none.
  package init(_ path: String, _ stop: StopSign, at offset: Int = 0) throws(FileFailure) {
    self.path = path
    self.stop = stop
    if path == "-" { return }
    if mayWait(path) {
      // Without this, opening would wait for a writer.
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
    while !awaitDescriptors([.input(number), .input(stop.descriptor)]).contains(true) {}
  }
}

/// Whether it is a pipe or a device.
private func mayWait(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
}
