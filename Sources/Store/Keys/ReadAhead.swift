import Glibc

/// Has the machine read a file into its memory from the beginning to the end, a piece at each call, while others read
/// it here and there.
///
/// It goes through a descriptor that SQLite has open on it: to close one of our own would drop SQLite's locks.
struct ReadAhead {
  private static let piece = 4 << 20
  /// Of more at once, a machine may take the beginning alone.
  private static let step = 128 << 10

  private let descriptor: Int32
  private let size: Int
  private var place = 0

  /// Nil where the file has more than some bytes, or nobody has it open, as one that is not on a disk of the machine.
  init?(of path: String, atMost limit: Int) {
    var wanted = stat()
    guard stat(path, &wanted) == 0, Int(wanted.st_size) <= limit else { return nil }
    let found = (3..<Int32(1024)).first { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_ino == wanted.st_ino
        && status.st_dev == wanted.st_dev
    }
    guard let found else { return nil }
    (descriptor, size) = (found, Int(wanted.st_size))
  }

  /// Asks for the next piece; false where there is none.
  mutating func next() -> Bool {
    guard place < size else { return false }
    let end = min(place + Self.piece, size)
    while place < end {
      posix_fadvise(descriptor, off_t(place), off_t(Self.step), POSIX_FADV_WILLNEED)
      place += Self.step
    }
    return true
  }
}
