import CGlibc
import Glibc

// How much stack is left, and how much memory the process holds.

/// Where about the stack is.
///
/// Only good for comparisons.
@inline(__always)
func stackPointer() -> UInt { UInt(bitPattern: flow_frame_address()) }

/// The stack of one thread.
struct StackBounds {
  let low: UInt
  let high: UInt
  let depthLimit: Int

  var size: Int { Int(high - low) }

  static let none = StackBounds(low: 0, high: 0, depthLimit: 200)
  /// Kept free for builtins, which check only where they recurse themselves.
  private static let reserve: UInt = 160 << 10

  static func current() -> StackBounds {
    var attributes = pthread_attr_t()
    guard pthread_getattr_np(pthread_self(), &attributes) == 0 else { return .none }
    defer { pthread_attr_destroy(&attributes) }
    var base: UnsafeMutableRawPointer?
    var size = 0
    guard pthread_attr_getstack(&attributes, &base, &size) == 0, let base else { return .none }
    let low = UInt(bitPattern: base)
    return StackBounds(low: low, high: low + UInt(size), depthLimit: max(50, size / 16384))
  }

  func contains(_ pointer: UInt) -> Bool { pointer >= low && pointer < high }

  @inline(__always)
  func hasRoom(_ pointer: UInt, _ depth: Int) -> Bool {
    if contains(pointer) { return pointer > low + min(StackBounds.reserve, (high - low) / 4) }
    // On a stack that nobody has told of, calls are counted.
    return depth < depthLimit
  }
}

/// The process's resident memory in bytes.
func residentBytes() -> Int {
  let file = open("/proc/self/statm", O_RDONLY)
  guard file >= 0 else { return .max }
  defer { close(file) }
  return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
    let count = read(file, buffer.baseAddress, 128)
    var field = 0
    var pages = 0
    for byte in buffer.prefix(max(count, 0)) {
      if byte == 0x20 { field += 1 } else if field == 1 { pages = pages * 10 + Int(byte &- 0x30) }
    }
    return pages * 4096
  }
}
