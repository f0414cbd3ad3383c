import CZ
import Glibc

/// Compresses a file into `PATH.gz` and removes it.
///
/// `PATH.gz` is never incomplete: the compressed data is written to `PATH.gz.tmp`, and the file is removed only when
/// the other is durable. After a crash, a `.tmp` is useless, and if both files exist, the compressed one is complete.
package func gzipFile(_ path: String) throws(FileFailure) {
  let packed = "\(path).gz"
  let unfinished = "\(packed).tmp"
  let source = try OpenDescriptor(opening: path, O_RDONLY, to: "open")
  let mode = source.status.map { $0.st_mode & 0o777 } ?? 0o600
  unlink(unfinished)
  do throws(FileFailure) {
    let target = try OpenDescriptor(
      opening: unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode, to: "create")
    try pack(source, into: target, path, unfinished)
    crashPoint("packing.written")
    guard fsync(target.number) == 0 else { throw FileFailure(unfinished, trying: "write to the disk") }
    guard rename(unfinished, packed) == 0 else { throw FileFailure(unfinished, trying: "rename") }
  } catch {
    unlink(unfinished)
    throw error
  }
  crashPoint("packing.renamed")
  syncFolder(of: packed)
  unlink(path)
  crashPoint("packing.done")
}

private func pack(
  _ source: OpenDescriptor, into target: OpenDescriptor, _ path: String, _ unfinished: String
) throws(FileFailure) {
  // It closes the descriptor it is given.
  guard let gzip = gzdopen(dup(target.number), "wb6") else { throw FileFailure(unfinished, trying: "write") }
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  defer { buffer.deallocate() }
  while true {
    let count = retrying { read(source.number, buffer.baseAddress, buffer.count) }
    if count == 0 { break }
    guard count > 0, gzwrite(gzip, buffer.baseAddress, UInt32(count)) == count else {
      let failure = count < 0 ? FileFailure(path, trying: "read") : FileFailure(unfinished, trying: "write")
      gzclose(gzip)
      throw failure
    }
  }
  guard gzclose(gzip) == Z_OK else { throw FileFailure(unfinished, trying: "write") }
}

/// Syncs the folder of a file, which not all file systems support.
package func syncFolder(of path: String) {
  guard let folder = try? OpenDescriptor(opening: splitPath(path).folder, O_RDONLY | O_DIRECTORY, to: "open")
  else { return }
  fsync(folder.number)
}
