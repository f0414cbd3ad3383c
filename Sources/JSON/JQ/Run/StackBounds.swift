import CGlibc
import Glibc

/// An address near the top of the stack, good for comparisons only.
@inline(__always)
func stackPointer() -> UInt { UInt(bitPattern: flow_frame_address()) }

/// The bounds of one thread's stack, and whether there is room left on it.
struct StackBounds {
  let low: UInt
  let high: UInt
  let depthLimit: Int

  var size: Int { Int(high - low) }

  static let none = StackBounds(low: 0, high: 0, depthLimit: 200)
  /// Kept free for builtins, which check only where they recurse themselves.
  private static let reserve: UInt = 160 << 10

  /// The bounds of the main thread, for which the C library reads and parses a list of all mappings.
  private static let main = measured()

  static func current() -> StackBounds { flow_is_main_thread() != 0 ? main : measured() }

  private static func measured() -> StackBounds {
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
    // The bounds of this stack are not known, so calls are counted.
    return depth < depthLimit
  }
}
