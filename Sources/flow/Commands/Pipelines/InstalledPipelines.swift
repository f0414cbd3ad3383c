import Glibc
import Language
import System

/// The pipelines installed with flow, or by the user, which commands accept by name.
///
/// They are in `flow/pipelines` of the data folders: the user's (`XDG_DATA_HOME`), `share` next to the folder of the
/// binary, then the system's (`XDG_DATA_DIRS`).
enum InstalledPipelines {
  static let suffixes = [".yaml", ".flow.yaml", ".yml"]

  /// The path of an operand: itself where it is a path, otherwise that of the installed pipeline of this name.
  static func path(of operand: String) -> String { found(operand) ?? operand }

  /// The installed pipeline of that name; nil if the operand is a path, or if there is none.
  private static func found(_ operand: String) -> String? {
    if operand.contains("/") || operand == "-" || isFile(operand) { return nil }
    for folder in folders {
      for suffix in [""] + suffixes where isFile("\(folder)/\(operand)\(suffix)") {
        return "\(folder)/\(operand)\(suffix)"
      }
    }
    return nil
  }

  /// The path of an installed file that pipelines include, `lib/amount.jq` say; nil where there is none.
  static func file(_ name: String) -> String? {
    name.hasPrefix("/") ? nil : folders.map { "\($0)/\(name)" }.first(where: isFile)
  }

  /// The JSON Schema of pipelines that is installed beside them.
  static var schema: String? {
    folders.map { "\(splitPath($0).folder)/flow.schema.json" }.first(where: isFile)
  }

  /// A suggestion for what is neither a file nor the name of an installed pipeline.
  static func hint(for operand: String) -> String? {
    if operand == "-" || isFile(operand) { return nil }
    let names = names
    if let stem = stem(of: splitPath(operand).name), operand != stem, names.contains(stem) {
      return "an installed pipeline has the name \(quoted(stem)): write that"
    }
    if operand.isEmpty { return "the name is empty: is a variable of the shell not set?" }
    if operand.allSatisfy(\.isNumber) {
      return "the value of an option that may be given without one stands behind =, as in --page=\(operand)"
    }
    if let near = neighbor(of: operand) { return "did you mean \(quoted(near))?" }
    if operand.contains("/") || operand.contains(".") { return nil }
    if let near = nearest(to: operand, among: names) { return "did you mean the pipeline \(quoted(near))?" }
    return names.isEmpty
      ? "no pipelines are installed" : "installed pipelines: \(names.joined(separator: ", "))"
  }

  /// The pipeline in the same folder that was probably meant, `slips.yaml` for `slips.yml`.
  private static func neighbor(of path: String) -> String? {
    let (folder, name) = splitPath(path)
    let files = ((try? namesOfFiles(in: folder)) ?? []).filter(isPipeline)
    // The ends are alike anyway.
    guard let near = nearest(to: String(name.prefix { $0 != "." }), among: files.compactMap(stem).sorted()),
      let file = files.first(where: { stem(of: $0) == near })
    else { return nil }
    return folder == "." ? file : "\(folder)/\(file)"
  }

  /// `slips` for `slips.yaml` and `slips.flow.yaml`; nil for a name that no pipeline has.
  private static func stem(of file: String) -> String? {
    isPipeline(file) ? String(file.prefix { $0 != "." }) : nil
  }

  /// The names of all installed pipelines, sorted.
  static var names: [String] {
    let files = folders.flatMap { (try? namesOfFiles(in: $0)) ?? [] }
    return Set(files.compactMap(stem)).sorted()
  }

  /// Whether a file of that name is a pipeline; `config.yaml` is none.
  static func isPipeline(_ file: String) -> Bool {
    file != "config.yaml" && suffixes.contains { file.hasSuffix($0) }
  }

  static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
  }

  private static var folders: [String] {
    let general = list("XDG_DATA_DIRS") ?? ["/usr/local/share", "/usr/share"]
    let home = Terminal.environment("HOME").map { "\($0)/.local/share" }
    let own = list("XDG_DATA_HOME")?.first ?? home
    return ([own, shareOfBinary].compactMap(\.self) + general).map { "\($0)/flow/pipelines" }
  }

  /// The folders in a variable; relative ones are ignored, as the XDG specification demands.
  private static func list(_ variable: String) -> [String]? {
    let folders = (Terminal.environment(variable) ?? "").split(separator: ":").map(String.init)
      .filter { $0.hasPrefix("/") }
    return folders.isEmpty ? nil : folders
  }

  /// `/opt/flow/share` for `/opt/flow/bin/flow`.
  private static var shareOfBinary: String? {
    guard let binary = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(binary) }
    return splitPath(splitPath(String(cString: binary)).folder).folder + "/share"
  }
}
