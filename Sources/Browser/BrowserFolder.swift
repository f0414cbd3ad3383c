import Glibc
import System

/// A folder for what a browser writes while it runs, locked as long as this process lives.
///
/// What a killed process has left, folder and browser, goes when the next one makes a folder.
final class BrowserFolder: Sendable {
  /// The variable by which the browser's processes are found.
  static let variable = "FLOW_BROWSER"
  private static let prefix = "flow-browser-"

  let path: String
  private let lock: OpenDescriptor
  /// Whether it is a profile, which stays.
  let isKept: Bool

  /// A new folder in another.
  init(in parent: String) throws(Sentence) {
    Self.clean(parent)
    var template = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Sentence("cannot make a folder for the browser in \(parent): \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let lock = Self.locked(path) else { throw Sentence("cannot lock \(path)") }
    (self.lock, isKept) = (lock, false)
  }

  /// The folder of a profile, which stays.
  init(profile: String) throws(Sentence) {
    mkdir(profile, 0o700)
    guard let lock = Self.locked(profile) else {
      throw Sentence("the profile \(profile) is in use, or cannot be written")
    }
    _ = LeftoverProcesses.end(having: Self.variable, among: [profile])
    // Of a browser that was killed: it would take itself for a second one.
    for name in ["SingletonLock", "SingletonCookie", "SingletonSocket"] { unlink("\(profile)/\(name)") }
    (path, self.lock, isKept) = (profile, lock, true)
  }

  /// Removes it, once the browser has ended.
  func remove() {
    if !isKept { Self.remove(path) }
  }

  private static func locked(_ path: String) -> OpenDescriptor? {
    guard
      let file = try? OpenDescriptor(opening: "\(path)/flow.lock", O_RDWR | O_CREAT, mode: 0o600, to: "lock"),
      flock(file.number, LOCK_EX | LOCK_NB) == 0
    else { return nil }
    return file
  }

  /// Removes the folders in another whose processes have gone, and what still runs of their browsers.
  private static func clean(_ parent: String) {
    for folder in (try? Glob.expand("\(parent)/\(prefix)*")) ?? [] {
      var status = stat()
      guard lstat(folder, &status) == 0, status.isFolder, status.st_uid == geteuid() else { continue }
      // One that is just being made has no lock yet.
      guard access("\(folder)/flow.lock", F_OK) == 0, locked(folder) != nil else { continue }
      _ = LeftoverProcesses.end(having: variable, among: [folder])
      remove(folder)
    }
  }

  private static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.isFolder, let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { remove("\(path)/\(name)") }
      }
      closedir(folder)
    }
    Glibc.remove(path)
  }
}
