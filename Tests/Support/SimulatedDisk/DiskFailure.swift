import System
import Glibc

/// What an operation on a simulated disk fails with.
public enum DiskFailure: Error, Equatable, Sendable {
  /// What `errno` would be.
  case system(Int32)
  /// The process that asks does not run any more: it was killed, or the power is out.
  case stopped

  /// A number for callers that know of no others.
  public var code: Int32 { if case .system(let code) = self { code } else { EIO } }
}

/// What can be done on a simulated disk, and so can fail.
public enum DiskOperation: String, Sendable {
  case read, create, write, truncate, sync, syncFolder, rename, remove, makeFolder

  /// Whether it changes what is on the disk, or may: only these are counted.
  var changes: Bool { self != .read }
}

/// A rule by which operations fail.
public struct DiskFault: Sendable {
  public enum Moment: Sendable {
    /// The first, second, … of the operations that match, from when the rule is handed over; then the rule is gone.
    case number(Int)
    /// That one and all after it, as where a disk is worn out.
    case from(Int)
    /// Each that matches, with a chance of one in so many.
    case oneIn(Int)
  }

  public var operation: DiskOperation
  public var moment: Moment
  public var code: Int32
  /// How much of a write is done before it fails, as where a disk becomes full.
  public var bytesBefore: Int
  /// Which files it is about: those whose path ends so.
  public var suffix: String

  public init(
    _ operation: DiskOperation, _ moment: Moment, code: Int32, bytesBefore: Int = 0, suffix: String = ""
  ) {
    (self.operation, self.moment, self.code) = (operation, moment, code)
    (self.bytesBefore, self.suffix) = (bytesBefore, suffix)
  }
}
