import Glibc
import System

/// Sequential read-ahead of a file into the page cache, one piece a call, while SQLite reads it at random.
///
/// It uses a descriptor that SQLite has open: closing one of our own would drop SQLite's locks on the file.
struct ReadAhead {
  private static let piece = 4 << 20
  /// The largest advice that kernels accept in full.
  private static let step = 128 << 10

  private let descriptor: Int32
  private let size: Int
  private var place = 0

  /// Nil if the file is larger than `limit`, or not open in this process, as on a simulated disk.
  init?(of path: String, atMost limit: Int) {
    var wanted = stat()
    guard stat(path, &wanted) == 0, Int(wanted.st_size) <= limit else { return nil }
    let found = (3..<Int32(min(DescriptorLimit.current, 1 << 16))).first { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_ino == wanted.st_ino
        && status.st_dev == wanted.st_dev
    }
    guard let found else { return nil }
    (descriptor, size) = (found, Int(wanted.st_size))
  }

  /// Requests the next piece; false at the end.
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
