import System
import Engine
import Language

/// So many bytes of a file from a place on; fewer where it ends before.
func readBytes(
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
