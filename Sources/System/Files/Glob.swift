import Glibc

/// File names by pattern.
package enum Glob {
  /// Whether a path has `*`, `?` or `[`, and so stands for other names than its own.
  package static func isPattern(_ path: String) -> Bool {
    path.utf8.contains { $0 == 0x2a || $0 == 0x3f || $0 == 0x5b }
  }

  /// The files that a pattern stands for, sorted by their bytes; the name of a file is itself, and so is a path without
  /// magic, there or not.
  ///
  /// `*` and `?` do not match a `/` or a leading dot, `**` is no more than `*`, and `~` is a plain character.
  package static func expand(_ pattern: String) throws(FileFailure) -> [String] {
    guard isPattern(pattern), access(pattern, F_OK) != 0 else { return [pattern] }
    var found = glob_t()
    defer { globfree(&found) }
    switch glob(pattern, GLOB_NOSORT, nil, &found) {
    case 0: break
    case GLOB_NOMATCH: return []
    case GLOB_NOSPACE: throw FileFailure(pattern, "cannot look for files: out of memory")
    default: throw FileFailure(pattern, trying: "look for files")
    }
    guard let names = found.gl_pathv else { return [] }
    let paths = (0..<Int(found.gl_pathc)).compactMap { names[$0].map { String(cString: $0) } }
    return paths.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }
}
