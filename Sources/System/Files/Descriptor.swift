import CGlibc
import Glibc

/// An open file, closed when its owner lets go of it.
package struct Descriptor: ~Copyable, Sendable {
  /// What the system calls it; -1 once it is closed, which poll(2) passes over.
  package private(set) var number: Int32

  package init(owning number: Int32) {
    self.number = number
  }

  /// No file at all.
  package static var none: Descriptor { Descriptor(owning: -1) }

  deinit {
    if number >= 0 { Glibc.close(number) }
  }

  package var isOpen: Bool { number >= 0 }

  package mutating func close() {
    if number >= 0 { Glibc.close(number) }
    number = -1
  }

  /// Keeps 0, 1 and 2 free, which are a child's to fill: a process started without them would get them here.
  package consuming func aboveStandardFiles() -> Descriptor {
    if number < 0 || number > 2 { return self }
    let higher = fcntl(number, F_DUPFD_CLOEXEC, 3)
    return higher < 0 ? self : Descriptor(owning: higher)
  }

  /// Makes reading and writing return at once when there is nothing to read, or no room.
  package func neverBlock() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }
}

/// Both ends of a pipe, neither of which a child inherits by itself.
package struct Pipe: ~Copyable {
  package var reading: Descriptor
  package var writing: Descriptor

  /// A new one; or none at all, if there is nothing to go through it.
  package init(unless isNotNeeded: Bool = false) throws(StartFailure) {
    var numbers: [Int32] = [-1, -1]
    guard isNotNeeded || pipe2(&numbers, O_CLOEXEC) == 0 else { throw StartFailure(SystemError("pipe")) }
    reading = Descriptor(owning: numbers[0]).aboveStandardFiles()
    writing = Descriptor(owning: numbers[1]).aboveStandardFiles()
  }
}
