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

/// What is in a folder; nil where it cannot be read, `errno` saying why.
func namesOfFiles(in folder: String) -> [String]? {
  guard let directory = opendir(folder) else { return nil }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    names.append(
      withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      })
  }
  return names
}

/// A file open for reading; `-` is standard input.
final class OpenFile {
  let path: String
  let descriptor: Int32
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

extension OpenFile {
  /// The bytes at a place of a file that can be read at any; fewer where it has become shorter meanwhile.
  func read(from offset: Int, count: Int) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
      }
      if got == 0 { break }
      if got > 0 {
        filled += got
      } else if errno != EINTR {
        throw FileError(path: path, reason: Terminal.lastError)
      }
    }
    return Array(bytes[..<filled])
  }

  /// Whether reading would not wait, be it for the end.
  var isReadable: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }

  /// What tells the file from others, and how long it is now.
  var state: FileState? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? FileState(status) : nil
  }
}

/// Which file it is, whatever its name, and how long.
struct FileState {
  let device: UInt64
  let number: UInt64
  let size: Int

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
    size = Int(status.st_size)
  }

  /// Nil where there is no such file.
  init?(path: String) {
    var status = Glibc.stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  func isSameFile(as other: FileState) -> Bool { device == other.device && number == other.number }
}
