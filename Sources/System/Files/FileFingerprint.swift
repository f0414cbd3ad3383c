import CGlibc
import Glibc

/// A fingerprint of the bytes of a file before an offset: it distinguishes a file that has grown from one that was
/// replaced or overwritten under the same name and inode.
///
/// A file system reuses the inode of a removed file, and `>` keeps it. The fingerprint is a hash of the first and the
/// last 4 KiB before the offset, and the creation time if it is known. Two files that agree in all of this are taken
/// for the same.
///
///     "8192-9e3779b97f4a7c15-1700000000000000000"
public struct FileFingerprint: Hashable, Sendable {
  /// How many bytes of each end are hashed.
  public static let reach = 4096

  /// The offset in bytes.
  public let end: Int
  private let hash: UInt64
  /// When the file was created, in nanoseconds since 1970.
  private let birth: Int?

  /// The fingerprint of the bytes that `read` returns from an offset; nil if there are fewer than `end`.
  init?(upTo end: Int, birth: Int?, read: (Int, UnsafeMutableRawBufferPointer) -> Int) {
    self.end = end
    self.birth = birth
    let count = min(end, Self.reach)
    let hash = withUnsafeTemporaryAllocation(byteCount: max(2 * count, 1), alignment: 16) { room in
      var hash = UInt64(count)
      for (half, start) in [0, end - count].enumerated() {
        let part = UnsafeMutableRawBufferPointer(rebasing: room[half * count..<(half + 1) * count])
        guard fill(part, from: start, read) else { return UInt64?.none }
        hash = mixed(UnsafeRawBufferPointer(part), hash)
      }
      return hash
    }
    guard let hash else { return nil }
    self.hash = hash
  }

  /// The fingerprint of an open file.
  public init?(_ descriptor: Int32, upTo end: Int) {
    self.init(upTo: end, birth: birthTime(descriptor, "", atEmptyPath)) { offset, room in
      retrying { pread(descriptor, room.baseAddress, room.count, off_t(offset)) }
    }
  }

  /// The fingerprint of a file by its name.
  public init?(_ path: String, upTo end: Int) {
    guard let file = try? OpenDescriptor(opening: path, O_RDONLY | O_NONBLOCK, to: "open") else { return nil }
    self.init(file.number, upTo: end)
  }

  /// The fingerprint of an open file of a disk.
  public init?(_ file: any DiskFile, upTo end: Int) {
    self.init(upTo: end, birth: file.birth) { offset, room in
      (try? file.read(at: offset, into: room)) ?? -1
    }
  }

  /// Whether both are of the same file, as far as that can be determined.
  public func matches(_ other: FileFingerprint?) -> Bool {
    guard let other, end == other.end, hash == other.hash else { return false }
    return birth == nil || other.birth == nil || birth == other.birth
  }

  /// Whether a file that has it may be a copy of a file that has the other one.
  func hasContent(of other: FileFingerprint) -> Bool { end == other.end && hash == other.hash }

  public init?(text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let end = Int(parts[0]), end >= 0,
      let hash = UInt64(parts[1], radix: 16)
    else { return nil }
    self.end = end
    self.hash = hash
    birth = parts.count == 3 ? Int(parts[2]) : nil
  }

  public var text: String {
    "\(end)-\(String(hash, radix: 16))" + (birth.map { "-\($0)" } ?? "")
  }
}

private func fill(
  _ room: UnsafeMutableRawBufferPointer, from start: Int, _ read: (Int, UnsafeMutableRawBufferPointer) -> Int
) -> Bool {
  var done = 0
  while done < room.count {
    let count = read(start + done, UnsafeMutableRawBufferPointer(rebasing: room[done...]))
    if count <= 0 { return false }
    done += count
  }
  return true
}

/// A hash of the bytes, continued from another one.
private func mixed(_ bytes: UnsafeRawBufferPointer, _ start: UInt64) -> UInt64 {
  var hash = start
  var offset = 0
  while offset < bytes.count {
    var word: UInt64 = 0
    let count = min(8, bytes.count - offset)
    withUnsafeMutableBytes(of: &word) { word in
      word.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
    }
    hash = mixed(UInt64(littleEndian: word), into: hash)
    offset += count
  }
  return hash
}

/// A hash that goes on with another word.
func mixed(_ word: UInt64, into hash: UInt64) -> UInt64 {
  let product = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
  return product ^ product >> 29
}

/// The creation time in nanoseconds since 1970; nil if the file system does not record it.
func birthTime(_ folder: Int32, _ path: String, _ flags: Int32) -> Int? {
  var status = statx()
  guard statx(folder, path, flags, UInt32(STATX_BTIME), &status) == 0,
    status.stx_mask & UInt32(STATX_BTIME) != 0
  else { return nil }
  return Int(status.stx_btime.tv_sec) &* 1_000_000_000 &+ Int(status.stx_btime.tv_nsec)
}

/// `AT_EMPTY_PATH`, which the C module shows to GNU programs alone: the file of the descriptor itself.
let atEmptyPath: Int32 = 0x1000
