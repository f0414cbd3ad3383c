import Glibc
import System
import Engine
import Language

/// Adds a line to a file of dead letters, which is created if it is missing.
///
/// The file is closed again at once: dead letters are rare, and others may move the file away in between.
public func appendLetter(_ path: String, _ line: [UInt8]) throws {
  try appendLetter(path, line, on: SystemDisk())
}

/// Adds a line to a file of dead letters on the given disk.
public func appendLetter(_ path: String, _ line: [UInt8], on disk: any Disk) throws {
  let file = try AppendFile(path, on: disk)
  var rest = line[...]
  // The reader of a pipe may be slow, but one that has stopped must not block the pipeline for long.
  for attempt in 1...20 {
    do throws(FileFailure) { return try file.append(Array(rest)) } catch {
      guard error.code == EAGAIN, attempt < 20 else { throw error }
      rest = rest.dropFirst(error.written)
    }
  }
}
