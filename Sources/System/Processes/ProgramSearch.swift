import Glibc

/// The search for the program of a command.
package enum ProgramSearch {
  /// The path to run for a name: the name itself if it contains a slash, else the first program of that name along
  /// `path`.
  ///
  /// Relative and empty entries of `path` are skipped, so that the program does not depend on the working directory.
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

  /// The PATH of a child; `extra` are its own variables.
  package static func path(_ extra: [String: String]) -> String {
    if let own = extra["PATH"] { return own }
    return getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
