import Glibc
import System

/// A file that a command writes for a person: it replaces an existing one only if that is forced.
enum NewFile {
  /// Writes the file; returns a message if that fails.
  static func write(_ bytes: [UInt8], to path: String, isForced: Bool = false, isExecutable: Bool = false)
    -> String?
  {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isForced ? O_TRUNC : O_EXCL)
    let descriptor = open(path, flags, isExecutable ? 0o755 : 0o644)
    if descriptor < 0, errno == EEXIST { return "\(path) already exists; use --force to overwrite it" }
    guard descriptor >= 0, bytes.withUnsafeBytes({ Terminal.writeAll(descriptor, $0) }),
      close(descriptor) == 0
    else { return "\(path) cannot be written: \(Terminal.lastError)" }
    return nil
  }

  /// Makes the folders of a file; one that cannot be made shows when the file is written.
  static func makeFolders(of path: String) {
    let folder = splitPath(path).folder
    if folder == "." || folder == "/" || access(folder, F_OK) == 0 { return }
    makeFolders(of: folder)
    mkdir(folder, 0o777)
  }
}
