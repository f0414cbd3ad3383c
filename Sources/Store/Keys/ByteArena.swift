/// Bytes one behind the other in large pieces of memory, where they stay as they are as long as it is there.
final class ByteArena {
  private static let sizes = 1 << 12...1 << 20

  private var pieces: [UnsafeMutableBufferPointer<UInt8>] = []
  /// How much of the last piece is taken.
  private var taken = 0
  /// How many bytes lie here.
  private(set) var used = 0

  deinit { for piece in pieces { piece.deallocate() } }

  /// Copies bytes, and others right behind them; answers where they lie.
  func add(
    _ first: UnsafeBufferPointer<UInt8>,
    _ second: UnsafeBufferPointer<UInt8> = UnsafeBufferPointer(start: nil, count: 0)
  ) -> UnsafePointer<UInt8> {
    let start = room(for: first.count + second.count)
    if let from = first.baseAddress { start.update(from: from, count: first.count) }
    if let from = second.baseAddress { (start + first.count).update(from: from, count: second.count) }
    return UnsafePointer(start)
  }

  private func room(for count: Int) -> UnsafeMutablePointer<UInt8> {
    if let last = pieces.last, let base = last.baseAddress, taken + count <= last.count {
      defer { taken += count }
      used += count
      return base + taken
    }
    let size = max(min(max(2 * used, Self.sizes.lowerBound), Self.sizes.upperBound), count)
    let start = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    pieces.append(UnsafeMutableBufferPointer(start: start, count: size))
    taken = count
    used += count
    return start
  }
}
