import Glibc

/// Where the program of a command is.
package enum ProgramSearch {
  /// The path to run for a name: the name itself if it has a slash, else the first program of that name along `path`.
  ///
  /// Folders along `path` that are relative, or empty for the current one, are passed over: what runs should not depend
  /// on where it runs.
  package static func find(_ name: String, along path: String) throws(StartFailure) -> String {
    if name.isEmpty { throw StartFailure("cannot start a command: it has no name") }
    if name.contains("/") { return name }
    let folders = path.split(separator: ":").filter { $0.hasPrefix("/") }
    var refused: String?
    for folder in folders {
      let candidate = "\(folder)/\(name)"
      guard isFile(candidate) else { continue }
      if access(candidate, X_OK) == 0 { return candidate }
      refused = refused ?? candidate
    }
    if let refused { throw StartFailure("cannot start \(name): \(refused) is not executable") }
    throw StartFailure(
      "cannot start \(name): no such command in \(folders.joined(separator: ", ")), the folders of PATH")
  }

  /// What PATH is for a child; `extra` are its own variables.
  package static func path(_ extra: [String: String]) -> String {
    if let own = extra["PATH"] { return own }
    return getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
