// Reading a whole file, a part of a file, and the names in a folder.

import Glibc

/// All bytes of a file, decompressed if it is gzip; `-` is standard input.
///
/// A file of more than `limit` bytes is an error, so that a device or a wrong path cannot fill the memory.
package func readFile(_ path: String, limit: Int = .max) throws(FileFailure) -> [UInt8] {
  let file = try InputFile(path)
  var bytes: [UInt8] = []
  let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  defer { piece.deallocate() }
  while case let count = try file.read(into: piece), count > 0 {
    guard count <= limit - bytes.count else {
      throw FileFailure(
        path, "is larger than \(limit) bytes, the most that is read; give another file, or make it smaller")
    }
    bytes.append(contentsOf: piece[..<count])
  }
  return bytes
}

/// The bytes of a file from an offset on, `count` of them; fewer where the file ends before.
package func readBytes(
  _ file: any DiskFile, from start: Int, _ count: Int, of path: String
) throws(FileFailure) -> [UInt8] {
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
  defer { buffer.deallocate() }
  var filled = 0
  while filled < count {
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
    let got = try FileFailure.of(path, trying: "read") { () throws(DiskError) in
      try file.read(at: start + filled, into: room)
    }
    if got == 0 { break }
    filled += got
  }
  return Array(buffer[..<filled])
}

/// The names in a folder, in no particular order.
package func namesOfFiles(in folder: String) throws(FileFailure) -> [String] {
  guard let directory = opendir(folder) else { throw FileFailure(folder, trying: "read the folder") }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    names.append(
      withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      })
  }
  return names
}
