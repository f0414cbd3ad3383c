import CGlibc
import Glibc

/// An open file, closed when its owner lets go of it.
struct Descriptor: ~Copyable, Sendable {
  /// What the system calls it; -1 once it is closed, which poll(2) passes over.
  private(set) var number: Int32

  init(owning number: Int32) {
    self.number = number
  }

  /// No file at all.
  static var none: Descriptor { Descriptor(owning: -1) }

  deinit {
    if number >= 0 { Glibc.close(number) }
  }

  var isOpen: Bool { number >= 0 }

  mutating func close() {
    if number >= 0 { Glibc.close(number) }
    number = -1
  }

  /// Makes reading and writing return at once when there is nothing to read, or no room.
  func neverBlock() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }
}

/// Both ends of a pipe, neither of which a child inherits by itself.
struct Pipe: ~Copyable {
  var reading: Descriptor
  var writing: Descriptor

  /// A new one; or none at all, if there is nothing to go through it.
  init(unless isNotNeeded: Bool = false) throws(StartFailure) {
    var numbers: [Int32] = [-1, -1]
    guard isNotNeeded || pipe2(&numbers, O_CLOEXEC) == 0 else { throw StartFailure(SystemError("pipe")) }
    reading = Pipe.end(numbers[0])
    writing = Pipe.end(numbers[1])
  }

  /// Keeps 0, 1 and 2 free, which are the child's to fill: a process started without them would get them here.
  private static func end(_ number: Int32) -> Descriptor {
    let first = Descriptor(owning: number)
    if number < 0 || number > 2 { return first }
    let higher = fcntl(number, F_DUPFD_CLOEXEC, 3)
    return higher < 0 ? first : Descriptor(owning: higher)
  }
}
