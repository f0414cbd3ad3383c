import Glibc

/// An output buffer that grows, or that a drain empties whenever it is full.
///
///     let output = Output { bytes in write(1, bytes.baseAddress, bytes.count) == bytes.count }
///     Writer(.compact).write(value, to: output)
///     output.flush()
public final class Output {
  /// Takes all of the bytes; false when that failed.
  public typealias Drain = (UnsafeRawBufferPointer) -> Bool

  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  public private(set) var count = 0
  private let drain: Drain?
  /// Whether the drain failed once; everything since then is dropped.
  public private(set) var hasFailed = false

  public init(capacity: Int = 1 << 16, drain: Drain? = nil) {
    self.capacity = max(capacity, 64)
    base = .allocate(capacity: self.capacity)
    self.drain = drain
  }

  deinit { base.deallocate() }

  /// Hands everything to the drain.
  public func flush() {
    guard let drain, count > 0 else { return }
    if !hasFailed, !drain(UnsafeRawBufferPointer(start: base, count: count)) { hasFailed = true }
    count = 0
  }

  public func removeAll() { count = 0 }

  /// Removes everything, and the memory as well where it is more than that many bytes.
  func removeAll(keepingAtMost most: Int) {
    count = 0
    guard capacity > most else { return }
    base.deallocate()
    capacity = 64
    base = .allocate(capacity: capacity)
  }

  /// Calls `body` with the buffer's contents.
  public func withBytes<R>(_ body: (ByteView) throws -> R) rethrows -> R {
    try body(ByteView(start: base, count: count))
  }

  /// A copy of the buffer's contents.
  public var bytes: [UInt8] { withBytes { Array($0) } }

  @inline(never)
  private func makeRoom(_ wanted: Int) {
    flush()
    guard count + wanted > capacity else { return }
    let larger = max(capacity * 2, count + wanted)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    memcpy(memory, base, count)
    base.deallocate()
    base = memory
    capacity = larger
  }

  /// Room for `wanted` more bytes.
  @inline(__always)
  func reserve(_ wanted: Int) {
    if count + wanted > capacity { makeRoom(wanted) }
  }

  @inline(__always)
  public func put(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  @inline(__always)
  func put(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
    // Long runs bypass the buffer.
    if length > 1 << 16, let drain {
      flush()
      if !hasFailed, !drain(UnsafeRawBufferPointer(start: bytes, count: length)) { hasFailed = true }
      return
    }
    reserve(length)
    memcpy(base + count, bytes, length)
    count += length
  }

  @inline(__always)
  public func put(_ bytes: ByteView) {
    if let start = bytes.baseAddress { put(start, bytes.count) }
  }

  @inline(__always)
  public func put(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { put($0) }
  }

  @inline(__always)
  public func put(_ text: StaticString) { put(text.utf8Start, text.utf8CodeUnitCount) }

  public func put(_ text: String) {
    var copy = text
    copy.withUTF8 { put($0) }
  }

  func put(_ byte: UInt8, times: Int) {
    guard times > 0 else { return }
    reserve(times)
    memset(base + count, Int32(byte), times)
    count += times
  }

  @inline(__always)
  func putDouble(_ double: Double) {
    reserve(NumberFormat.longest)
    count += NumberFormat.write(double, to: base + count)
  }
}
