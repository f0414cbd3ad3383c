import System
import Fetch
import JSON
import Engine
import Language
import Store

/// The file `PATH.part`, to which a download is written until it is complete, and `PATH.part.from`, which records what
/// it is a part of, so that this run or another one can resume it.
struct PartFile: Sendable {
  /// The part of a download that can be resumed, and what the server named when it began.
  struct Start: Sendable {
    let size: Int
    let validator: String
    /// The length of the whole file.
    let length: Int?

    /// Whether an answer is about the version of the file that the part is of.
    func matches(_ status: Int, _ headers: Headers, _ length: Int) -> Bool {
      let isTag = validator.hasPrefix("\"")
      let now = headers[isTag ? "etag" : "last-modified"]
      // A range always has the tag; it may lack the time where If-Range had it (RFC 9110, 15.3.7).
      let isSame = now.map { $0 == validator } ?? !(isTag && status == 206)
      return isSame && (self.length ?? length) == length
    }
  }

  let path: String
  let disk: any Disk

  var part: String { path + ".part" }
  private var origin: String { part + ".from" }

  /// The value for If-Range, a strong validator: it identifies this version of the file.
  static func validator(_ headers: Headers) -> String? {
    let isPacked = headers["content-encoding"].map { $0 != "identity" } ?? false
    // An offset in the uncompressed file is not an offset in what the server sends.
    if isPacked { return nil }
    if let tag = headers["etag"], tag.hasPrefix("\""), tag.count > 2 { return tag }
    return headers.strongLastModified
  }

  /// The identity of the machine's start, because a power cut may leave a part with gaps; nil where it is unknown.
  private var start: String? {
    let file = WholeFile(path: "/proc/sys/kernel/random/boot_id", mode: 0o600, syncs: false, disk: disk)
    return (try? file.read()).map { String(decoding: $0.prefix { $0 != 0x0a }, as: UTF8.self) }
  }

  /// The part of the file; nil where it cannot be resumed.
  func progress(from url: String) -> Start? {
    let file = WholeFile(path: origin, mode: 0o600, syncs: false, disk: disk)
    guard let size = disk.status(of: part)?.size, size > 0, disk.status(of: origin)?.size ?? 0 < 1 << 16,
      let bytes = try? file.read(), let value = try? Value.parse(bytes), value.member("url")?.string == url,
      let validator = value.member("validator")?.string, value.member("start")?.string == start
    else { return nil }
    let length = Int(member: value.member("length"))
    return Start(size: size, validator: validator, length: length)
  }

  /// Opens the part to append to it.
  func resume() throws(FileFailure) -> any DiskFile { try open(part, mode: 0o644) }

  /// Begins a new part.
  func begin(from url: String, _ validator: String?, of length: Int?) throws(FileFailure) -> any DiskFile {
    remove()
    if let validator {
      let value = Value.record([
        ("url", .string(url)), ("validator", .string(validator)),
        ("start", start.map { .string($0) } ?? .null),
        ("length", length.map { .number(Double($0)) } ?? .null),
      ])
      let file = try open(origin, mode: 0o600)
      try Self.append(value.json, to: file, origin)
    }
    return try open(part, mode: 0o644)
  }

  func remove() {
    disk.unlink(origin)
    disk.unlink(part)
  }

  /// Removes the leftovers of a run that was killed right after it had renamed the complete file.
  func removeLeftovers() { if !disk.exists(part), disk.exists(origin) { disk.unlink(origin) } }

  /// Renames the complete file.
  func finish(_ file: any DiskFile, size: Int, syncs: Bool) throws(FileFailure) {
    guard let status = disk.status(of: part), status.identity == file.status?.identity, status.size == size
    else {
      remove()
      throw FileFailure(part, "was changed by another process")
    }
    if syncs {
      do throws(FileFailure) {
        try FileFailure.of(part, trying: "write to the disk") { () throws(DiskError) in try file.sync() }
      } catch {
        // Some of it may be in memory only, and no later sync would report that.
        remove()
        throw error
      }
    }
    crashPoint("download.whole")
    try FileFailure.of(path, trying: "rename the download") { () throws(DiskError) in
      try disk.rename(part, to: path)
    }
    disk.unlink(origin)
    if syncs { disk.syncFolder(splitPath(path).folder) }
  }

  /// Does not follow links, since the path may contain data; creates missing folders.
  private func open(_ path: String, mode: UInt32) throws(FileFailure) -> any DiskFile {
    try AppendFile(path, .init(mode: mode, followsLinks: false), on: disk, isResumed: true).file
  }

  static func append(_ bytes: [UInt8], to file: any DiskFile, _ path: String) throws(FileFailure) {
    try bytes.withUnsafeBytes { buffer in
      Result { () throws(FileFailure) in try append(buffer, to: file, path) }
    }
    .get()
  }

  static func append(
    _ bytes: UnsafeRawBufferPointer, to file: any DiskFile, _ path: String
  ) throws(FileFailure) {
    var rest = bytes
    while !rest.isEmpty {
      let count = try FileFailure.of(path, trying: "write") { () throws(DiskError) in try file.append(rest) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }
}
