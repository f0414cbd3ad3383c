import System
import Fetch
import JSON
import Engine
import Language
import Store

/// The file that a download is written to until it is whole, `PATH.part`, and beside it, in `PATH.part.from`, what it is
/// a part of: so that it can be gone on with, in another run too.
struct PartFile: Sendable {
  let path: String
  let disk: any Disk

  var part: String { path + ".part" }
  private var origin: String { part + ".from" }

  /// What an answer can be told by from a later one: what If-Range takes.
  static func validator(_ headers: Headers) -> String? {
    let isPacked = headers["content-encoding"].map { $0 != "identity" } ?? false
    // Of what was unpacked on the way, no place is a place in what the server has.
    if isPacked { return nil }
    if let tag = headers["etag"], tag.hasPrefix("\""), tag.count > 2 { return tag }
    return headers["last-modified"]
  }

  /// What is another one each time the machine starts, as after a power cut, which may have left a part with gaps; nil
  /// where that is not told.
  private var start: String? {
    let file = WholeFile(path: "/proc/sys/kernel/random/boot_id", mode: 0o600, syncs: false, disk: disk)
    return (try? file.read()).map { String(decoding: $0.prefix { $0 != 0x0a }, as: UTF8.self) }
  }

  /// How much there is, and of what; nil where nothing can be gone on with.
  func progress(from url: String) -> (size: Int, validator: String)? {
    let file = WholeFile(path: origin, mode: 0o600, syncs: false, disk: disk)
    guard let size = disk.status(of: part)?.size, size > 0, disk.status(of: origin)?.size ?? 0 < 1 << 16,
      let bytes = try? file.read(), let value = try? Value.parse(bytes), value.member("url")?.string == url,
      let validator = value.member("validator")?.string, value.member("start")?.string == start
    else { return nil }
    return (size, validator)
  }

  /// Goes on with what is there.
  func resume() throws(FileFailure) -> any DiskFile { try open(part, mode: 0o644) }

  /// Begins anew.
  func begin(from url: String, _ validator: String?) throws(FileFailure) -> any DiskFile {
    remove()
    if let validator {
      let value = Value.record([
        ("url", .string(url)), ("validator", .string(validator)),
        ("start", start.map { .string($0) } ?? .null),
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

  /// Removes what is left of a run that was killed when the whole file had just been given its name.
  func tidy() { if !disk.exists(part), disk.exists(origin) { disk.unlink(origin) } }

  /// Gives what is whole its name.
  func finish(_ file: any DiskFile, size: Int, syncs: Bool) throws(FileFailure) {
    guard let status = disk.status(of: part), status.identity == file.status?.identity, status.size == size
    else {
      remove()
      throw FileFailure(part, "is not what was written to it; somebody else has changed it")
    }
    if syncs {
      do throws(FileFailure) {
        try FileFailure.of(part, trying: "write to the disk") { () throws(DiskError) in try file.sync() }
      } catch {
        // What there is of it may be in memory alone, and no later sync would tell.
        remove()
        throw error
      }
    }
    crashPoint("download.whole")
    try FileFailure.of(path, trying: "give the download its name") { () throws(DiskError) in
      try disk.rename(part, to: path)
    }
    disk.unlink(origin)
    if syncs { disk.syncFolder(splitPath(path).folder) }
  }

  /// Never through a link, since the path may be made of data; folders that are missing are made.
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
