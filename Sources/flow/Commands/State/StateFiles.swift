import Glibc
import Engine
import Language
import Store
import System

/// The state files in a folder, one per pipeline, and how arguments refer to them.
struct StateFiles {
  let folder: String
  /// The pipelines with state, sorted.
  let names: [String]

  init(_ arguments: Arguments) throws {
    let standard = StateFolder.standard { Terminal.environment($0) }
    guard let folder = arguments.text(StateCommand.folder) ?? standard else {
      throw WrongUse("no folder for the state: neither XDG_STATE_HOME nor HOME is set; use --state FOLDER")
    }
    self.folder = folder
    let files: [String]
    do throws(FileFailure) { files = try namesOfFiles(in: folder) } catch {
      // The standard folder is created with the first state; a folder that is named must exist.
      guard error.code == ENOENT, !arguments.has(StateCommand.folder) else {
        throw StateError.failed("\(error)")
      }
      names = []
      return
    }
    let stems = files.compactMap { $0.hasSuffix(".db") ? String($0.dropLast(3)) : nil }
    names = stems.filter { StateFolder.file(of: $0, in: folder) != nil }.sorted()
  }

  func path(of name: String) -> String { "\(folder)/\(name).db" }

  /// The pipeline that is given by its name or its file.
  func find(_ given: String) throws -> String {
    if names.contains(given) { return given }
    let wanted = isFile(given) ? names(ofFile: given) : [given]
    if let name = wanted.first(where: names.contains) { return name }
    guard let name = wanted.first, StateFolder.file(of: name, in: folder) != nil else {
      let isPath = given.utf8.contains(UInt8(ascii: "/"))
      throw StateError.unknown(
        isPath
          ? "\(quoted(given)) is neither a pipeline file nor a name"
          : "\(quoted(wanted.first ?? given)) cannot be the name of a pipeline with state")
    }
    throw StateError.unknown(
      "there is no state of \(quoted(name)) in \(folder); \(StateFiles.hint(name, names, else: "the folder is empty"))"
    )
  }

  /// The names that exist: the one that was probably meant, and all of them.
  static func hint(_ given: String, _ names: [String], else nothing: String) -> String {
    guard !names.isEmpty else { return nothing }
    let all = names.count > 24 ? "“flow state ls” lists all" : "there is \(listed(names))"
    return nearest(to: given, among: names).map { "did you mean \(quoted($0))? (\(all))" } ?? all
  }

  private static func listed(_ names: [String]) -> String {
    let all = names.map(quoted)
    guard let last = all.last, all.count > 1 else { return all.first ?? "" }
    return all.dropLast().joined(separator: ", ") + " and " + last
  }

  private func isFile(_ given: String) -> Bool {
    given.hasSuffix(".yaml") || given.hasSuffix(".yml")
      || given.utf8.contains(UInt8(ascii: "/")) && access(given, F_OK) == 0
  }

  /// The name in a pipeline file, and its default name; the file itself may not exist any more.
  private func names(ofFile path: String) -> [String] {
    var names = [NewCommand.name(of: path)]
    if let bytes = try? readFile(path, limit: Limits().bytes) {
      let document = YAMLDocument(SourceFile(path: path, bytes: bytes)) { Terminal.environment($0) }
      if let name = document.root?.mapping?["name"]?.value.scalar?.text { names.insert(name, at: 0) }
    }
    return names
  }
}
