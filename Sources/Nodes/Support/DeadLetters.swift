import Glibc
import System
import Engine
import Language

/// Adds a line to a file of dead letters, which is made where it is missing.
///
/// The file is closed again at once: it is for what happens now and then, and others may move it away meanwhile.
public func appendLetter(_ path: String, _ line: [UInt8]) throws {
  try appendLetter(path, line, on: SystemDisk())
}

/// The same on a disk that was handed in.
public func appendLetter(_ path: String, _ line: [UInt8], on disk: any Disk) throws {
  let file = try AppendFile(path, on: disk)
  var rest = line[...]
  // The reader of a pipe may be slow; one that has stopped must not hold up the pipeline for long.
  for attempt in 1...20 {
    do throws(FileFailure) { return try file.append(Array(rest)) } catch {
      guard error.code == EAGAIN, attempt < 20 else { throw error }
      rest = rest.dropFirst(error.written)
    }
  }
}
