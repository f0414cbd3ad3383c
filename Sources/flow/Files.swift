import Glibc

/// Why a file could not be read.
struct FileError: Error, CustomStringConvertible {
  let path: String
  let reason: String
  var description: String { "Could not open \(path == "-" ? "<stdin>" : path): \(reason)" }
}

/// All bytes of a file.
func readFile(_ path: String) throws(FileError) -> [UInt8] {
  let file = try OpenFile(path)
  var bytes: [UInt8] = []
  let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
  defer { piece.deallocate() }
  while true {
    let count = try file.read(into: piece)
    if count == 0 { return bytes }
    bytes.append(contentsOf: piece[..<count])
  }
}

/// A file open for reading; `-` is standard input.
final class OpenFile {
  let path: String
  private let descriptor: Int32
  /// Reading never waits for somebody else to write.
  let isRegular: Bool

  init(_ path: String) throws(FileError) {
    self.path = path
    descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path: path, reason: Terminal.lastError) }
    var status = stat()
    let known = fstat(descriptor, &status) == 0
    isRegular = known && status.st_mode & S_IFMT == S_IFREG
    if known, status.st_mode & S_IFMT == S_IFDIR {
      if descriptor > 0 { close(descriptor) }
      throw FileError(path: path, reason: "It's a directory")
    }
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  /// Fills the buffer as far as one read does; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { throw FileError(path: path, reason: Terminal.lastError) }
    }
  }
}
