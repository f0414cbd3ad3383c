import CGlibc
import Glibc

/// An open file descriptor, closed with its owner.
package struct Descriptor: ~Copyable, Sendable {
  /// Its number; -1 once it is closed, which poll(2) ignores.
  package private(set) var number: Int32

  package init(owning number: Int32) {
    self.number = number
  }

  /// No file.
  package static var none: Descriptor { Descriptor(owning: -1) }

  deinit {
    if number >= 0 { Glibc.close(number) }
  }

  package var isOpen: Bool { number >= 0 }

  package mutating func close() {
    if number >= 0 { Glibc.close(number) }
    number = -1
  }

  /// Leaves it open, for the caller to close.
  package mutating func release() -> Int32 {
    defer { number = -1 }
    return number
  }

  /// Keeps 0, 1 and 2 free, which belong to a child: a process started without them would get them here.
  package consuming func aboveStandardFiles() -> Descriptor {
    if number < 0 || number > 2 { return self }
    let higher = fcntl(number, F_DUPFD_CLOEXEC, 3)
    return higher < 0 ? self : Descriptor(owning: higher)
  }

  /// Makes reads and writes return at once if there is nothing to read or no room.
  package func neverBlock() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }
}

/// Both ends of a pipe, not inherited by children.
package struct Pipe: ~Copyable {
  package var reading: Descriptor
  package var writing: Descriptor

  /// A new pipe, or none.
  package init(unless isNotNeeded: Bool = false) throws(StartFailure) {
    var numbers: [Int32] = [-1, -1]
    guard isNotNeeded || pipe2(&numbers, O_CLOEXEC) == 0 else { throw StartFailure(SystemError("pipe")) }
    reading = Descriptor(owning: numbers[0]).aboveStandardFiles()
    writing = Descriptor(owning: numbers[1]).aboveStandardFiles()
  }
}
