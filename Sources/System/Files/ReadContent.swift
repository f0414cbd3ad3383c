import Glibc

/// The content that was read of a file from its beginning on, by a running hash: a copy of the file has the same.
///
/// What was read before `start`, by an earlier run, is known by its fingerprint.
package struct ReadContent: Equatable, Sendable {
  package let start: Int
  package private(set) var end: Int
  private let before: FileFingerprint?
  private var hash: RunningHash

  /// Nothing of a file behind an offset yet.
  package init(after start: Int, _ before: FileFingerprint?) {
    (self.start, end, self.before) = (start, start, before)
    hash = RunningHash()
  }

  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    hash.add(bytes)
    end += bytes.count
  }

  /// Whether an open file begins with it.
  package func isBeginning(of file: Int32) -> Bool {
    var status = stat()
    guard end > 0, fstat(file, &status) == 0, status.st_size >= end else { return false }
    if start > 0 {
      guard let before, let found = FileFingerprint(file, upTo: start), before.hasContent(of: found) else {
        return false
      }
    }
    var content = ReadContent(after: start, before)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { room.deallocate() }
    while content.end < end {
      let count = retrying {
        pread(file, room.baseAddress, min(room.count, end - content.end), off_t(content.end))
      }
      if count <= 0 { return false }
      content.add(UnsafeRawBufferPointer(rebasing: room[..<count]))
    }
    return content.hash.value == hash.value
  }

  // MARK: - As text

  /// `0-1200-9e3779b97f4a7c15`, and behind it what is known of the part before.
  package var text: String {
    "\(start)-\(end)-\(String(hash.value, radix: 16))" + (before.map { " \($0.text)" } ?? "")
  }

  /// Content that is complete: nothing can be added to it.
  package init?(text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    let numbers = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
    guard numbers.count == 3, let start = Int(numbers[0]), let end = Int(numbers[1]), 0...end ~= start,
      let value = UInt64(numbers[2], radix: 16)
    else { return nil }
    (self.start, self.end) = (start, end)
    before = parts.count > 1 ? FileFingerprint(text: String(parts[1])) : nil
    hash = RunningHash(value: value)
  }
}

/// A hash of bytes that come in parts, however they are divided.
private struct RunningHash: Equatable, Sendable {
  private var hash: UInt64 = 0
  /// The bytes behind the last whole word.
  private var rest: UInt64 = 0
  private var restCount = 0
  private var known: UInt64?

  init() {}

  init(value: UInt64) { known = value }

  var value: UInt64 { known ?? mixed(rest ^ UInt64(restCount) << 56, into: hash) }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    func take(_ byte: UInt8) {
      rest |= UInt64(byte) << (8 * UInt64(restCount))
      restCount += 1
      offset += 1
      if restCount < 8 { return }
      hash = mixed(rest, into: hash)
      (rest, restCount) = (0, 0)
    }
    while restCount > 0, offset < bytes.count { take(bytes[offset]) }
    while bytes.count - offset >= 8 {
      hash = mixed(
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)), into: hash)
      offset += 8
    }
    while offset < bytes.count { take(bytes[offset]) }
  }
}
