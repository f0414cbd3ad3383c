import Glibc
import JSON
import Language
import System

/// Compiles the filter of `flow eval`: its text or file, its variables, its modules.
enum EvalProgram {
  /// The size limit of a filter's file.
  private static let mostBytes = Limits().bytes

  /// The program; throws `FileFailure` if the filter's file cannot be read.
  static func compile(_ options: EvalOptions, _ filter: String) throws -> Program {
    var text = filter
    var name = "<top-level>"
    var origin = "."
    if options.isFilterFile {
      text = String(decoding: try readFile(filter, limit: mostBytes), as: UTF8.self)
      name = filter
      origin = folder(of: filter)
    }
    let names = options.named.keys.map(\.name) + ["ARGS"]
    return try Program(
      text, name: name, variables: names, modules: .files(searchPaths(options), origin: origin),
      library: try Library(personalLibrary()))
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The search path for modules: the folders of `-L`, or jq's default.
  private static func searchPaths(_ options: EvalOptions) -> [String] {
    let paths =
      options.libraryPaths.isEmpty ? ["~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib"] : options.libraryPaths
    return paths.map { path in
      if path.hasPrefix("~/"), let home = Terminal.environment("HOME") { return home + path.dropFirst() }
      if path.hasPrefix("$ORIGIN") { return commandFolder + path.dropFirst(7) }
      return path
    }
  }

  /// The folder of the running executable.
  private static var commandFolder: String {
    let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: 4096)
    defer { buffer.deallocate() }
    let count = readlink("/proc/self/exe", buffer, 4095)
    guard count > 0 else { return "." }
    buffer[count] = 0
    return folder(of: String(cString: buffer))
  }

  /// Definitions in `~/.jq`, if that is a file.
  private static func personalLibrary() -> [(name: String, source: String)] {
    guard let home = Terminal.environment("HOME") else { return [] }
    let path = "\(home)/.jq"
    guard access(path, R_OK) == 0, let bytes = try? readFile(path, limit: mostBytes) else { return [] }
    return [(path, String(decoding: bytes, as: UTF8.self))]
  }
}
