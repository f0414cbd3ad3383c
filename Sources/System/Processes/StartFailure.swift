import Glibc

/// Why a command could not be started, in a sentence.
package struct StartFailure: Error {
  package let reason: String
  /// Whether a later attempt may succeed.
  package let mayPass: Bool

  package init(_ reason: String, mayPass: Bool = false) {
    self.reason = reason
    self.mayPass = mayPass
  }

  package init(_ error: SystemError) {
    self.init("cannot start a command: \(error)", mayPass: error.mayPass)
  }

  /// Explains the system's error on starting `program` in terms of the files involved.
  package init(_ error: SystemError, name: String, program: String, workingDirectory: String?) {
    let why = Self.explain(error, program: program, workingDirectory: workingDirectory)
    self.init("cannot start \(name): \(why)", mayPass: error.mayPass)
  }

  private static func explain(_ error: SystemError, program: String, workingDirectory: String?) -> String {
    if let folder = workingDirectory, let flaw = flaw(ofFolder: folder) { return flaw }
    let path = absolute(program, in: workingDirectory)
    switch error.code {
    case ENOENT where access(path, F_OK) == 0:
      return "what is to run \(path) does not exist; see its first line"
    case ENOENT, ENOTDIR: return "there is no \(path)"
    case EACCES where isFolder(path): return "\(path) is a folder"
    case EACCES where access(path, X_OK) != 0: return "\(path) is not executable"
    case ENOEXEC: return "\(path) is neither a program for this machine nor a script with a #! line"
    case E2BIG: return "its arguments and environment are longer than the system allows"
    default: return "\(path): \(error.reason)"
    }
  }

  private static func flaw(ofFolder folder: String) -> String? {
    if access(folder, F_OK) != 0 { return "its working directory \(folder) does not exist" }
    if !isFolder(folder) { return "its working directory \(folder) is not a folder" }
    return access(folder, X_OK) == 0 ? nil : "its working directory \(folder) may not be entered"
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The path that was looked up.
  private static func absolute(_ path: String, in folder: String?) -> String {
    if path.hasPrefix("/") { return path }
    let rest = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    let base = folder ?? ""
    if base.hasPrefix("/") { return "\(base)/\(rest)" }
    guard let here = getcwd(nil, 0) else { return base.isEmpty ? rest : "\(base)/\(rest)" }
    defer { free(here) }
    return [String(cString: here), base, rest].filter { !$0.isEmpty }.joined(separator: "/")
  }
}
