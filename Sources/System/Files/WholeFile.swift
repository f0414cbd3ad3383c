/// A file that is replaced as a whole: its old content stays until the new one is complete.
package struct WholeFile {
  package let path: String
  package let mode: UInt32
  /// Whether a write survives a power cut.
  package let syncs: Bool
  package let disk: any Disk
  /// Whether to create missing folders.
  package let makesFolders: Bool

  package init(path: String, mode: UInt32, syncs: Bool, disk: any Disk, makesFolders: Bool = true) {
    self.path = path
    self.mode = mode
    self.syncs = syncs
    self.disk = disk
    self.makesFolders = makesFolders
  }

  /// The new content, in a file next to the old one until it is complete.
  private var draft: String { path + ".flow-new" }

  /// The content; nil if there is no file.
  package func read() throws(FileFailure) -> [UInt8]? {
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

  /// Syncs the name, because a run that was killed may have renamed the file without doing so.
  package func keepName() { if syncs { disk.syncFolder(splitPath(path).folder) } }

  package func write(_ bytes: [UInt8]) throws(FileFailure) {
    let file = try begin()
    do throws(FileFailure) {
      try file.append(bytes)
      try finish(file)
    } catch {
      abandon()
      throw error
    }
  }

  /// An empty file for the new content: then call `finish`, or `abandon`.
  package func begin() throws(FileFailure) -> AppendFile {
    // Left by a run that was killed.
    abandon()
    do throws(FileFailure) {
      return try AppendFile(
        draft, .init(mode: mode, makesFolders: makesFolders, followsLinks: false), on: disk)
    } catch {
      throw FileFailure(path, error.reason, code: error.code)
    }
  }

  /// Gives the new content its name.
  package func finish(_ file: AppendFile) throws(FileFailure) {
    if syncs { try file.sync() }
    try FileFailure.of(path, trying: "give the new file its name") { () throws(DiskError) in
      try disk.rename(draft, to: path)
    }
    keepName()
  }

  package func abandon() { disk.unlink(draft) }
}
