import Pipeline

/// A file that is always written whole, and by nobody else: what was there stays until what is new is all there.
struct WholeFile {
  let path: String
  let mode: UInt32
  /// Whether it is to outlive a power cut.
  let syncs: Bool
  let disk: any Disk

  /// What is written is beside it until it is whole.
  private var draft: String { path + ".flow-new" }

  /// What is in it; nil where there is none.
  func read() throws(FileFailure) -> [UInt8]? {
    guard let status = disk.status(of: path) else { return nil }
    guard status.isRegular else { throw FileFailure(path, "is no file that could be written anew") }
    let file = try FileFailure.of(path, trying: "open") { () throws(DiskError) in
      try disk.open(toRead: path, followsLinks: true)
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try FileFailure.of(path, trying: "read") { () throws(DiskError) in
        var result = Result<Int, DiskError>.success(0)
        chunk.withUnsafeMutableBytes { buffer in
          do throws(DiskError) { result = .success(try file.read(at: bytes.count, into: buffer)) } catch {
            result = .failure(error)
          }
        }
        return try result.get()
      }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }

  /// Has the disk know which file has the name: a run that was killed may have given it, and not waited for that.
  func keepName() { if syncs { disk.syncFolder(splitPath(path).folder) } }

  func write(_ bytes: [UInt8]) throws(FileFailure) {
    // Left by a run that was killed.
    disk.unlink(draft)
    var options = AppendFile.Options(mode: mode, followsLinks: false)
    options.hasSafeFolders = false
    let file = try AppendFile(draft, options, on: disk)
    try file.append(bytes)
    if syncs { try file.sync() }
    try FileFailure.of(path, trying: "give the new file its name") { () throws(DiskError) in
      try disk.rename(draft, to: path)
    }
    keepName()
  }
}
