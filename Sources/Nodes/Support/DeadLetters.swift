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
  try AppendFile(path, on: disk).append(line)
}
