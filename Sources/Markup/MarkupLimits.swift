// The limits of documents: how much is read, and for how long.

import System

/// The limits of a document.
public struct MarkupLimits: Sendable {
  /// Elements and texts.
  public var nodes = 1_000_000
  /// Elements within each other, as many as in browsers; libxml2 has a limit of 256.
  public var depth = 512
  /// Attributes of one element.
  public var attributes = 1000
  /// Bytes of memory for the tree of a page.
  var pageMemory: Int { max(1 << 24, nodes << 9) }
  /// Why the work has to end, such as that its time is over; nil to go on.
  ///
  /// It is asked every few thousand bytes and nodes.
  public var refusal: @Sendable () -> String? = { nil }

  public init() {}
}

/// A check of the limits' refusal while a document is read and searched.
final class MarkupWatch {
  private static let stepsBetweenChecks = 1024

  private let limits: MarkupLimits
  private var steps = 0
  private var refusal: String?

  init(_ limits: MarkupLimits) { self.limits = limits }

  /// Whether the work has to end.
  func isOver() -> Bool {
    if refusal == nil { refusal = limits.refusal() }
    return refusal != nil
  }

  /// The answer to a library that asks whether to go on, with a pointer to a watch.
  static func goesOn(_ watch: UnsafeMutableRawPointer?) -> Int32 {
    let isOver = watch.map { Unmanaged<MarkupWatch>.fromOpaque($0).takeUnretainedValue().isOver() }
    return isOver == false ? 1 : 0
  }

  /// Counts a small step, and asks from time to time; false once the work has to end.
  func step() -> Bool {
    steps &+= 1
    return steps % Self.stepsBetweenChecks == 0 ? !isOver() : refusal == nil
  }

  /// Throws the refusal, counting a small step or, before a large one, asking at once.
  func check(beforeLarge isLarge: Bool = false) throws(TextFlaw) {
    if isLarge ? isOver() : !step(), let refusal { throw TextFlaw(refusal) }
  }
}
