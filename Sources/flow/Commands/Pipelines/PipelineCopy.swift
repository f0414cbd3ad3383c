import AllNodes
import Glibc
import Language
import System

/// `flow new --from NAME`: a copy of an installed or other pipeline, with the files that belong to it.
///
/// The copy has the name of its file, so that its state is its own.
struct PipelineCopy {
  private let path: String
  private let bytes: [UInt8]
  private let reader: PipelineReader

  init(of operand: String) throws(WrongUse) {
    path = InstalledPipelines.path(of: operand)
    do { bytes = try readFile(path, limit: Limits().bytes) } catch {
      throw WrongUse("\(error)" + (InstalledPipelines.hint(for: operand).map { "; \($0)" } ?? ""))
    }
    var reader = PipelineReader(catalog: .all)
    reader.readFile = { try readFile($0, limit: Limits().bytes) }
    reader.fileExists = InstalledPipelines.isFile
    // Problems do not matter: a missing variable of the environment is one.
    reader.read(path: path, bytes)
    self.reader = reader
  }

  /// Prints the copy, or writes it and the files that belong to it; returns the exit status.
  func write(to target: String?, named name: String?, isForced: Bool) -> Int32 {
    guard let target else {
      Terminal.say(text(named: name, at: nil))
      if !files.isEmpty {
        Terminal.complain(
          "flow new: the pipeline needs \(files.joined(separator: ", ")) next to it; -o FILE copies them too\n"
        )
      }
      return ExitStatus.done
    }
    let status = NewCommand.write(
      text(named: name ?? NewCommand.name(of: target), at: target), target, isForced: isForced)
    guard status == ExitStatus.done else { return status }
    let (from, to) = (splitPath(path).folder, splitPath(target).folder)
    var isComplete = true
    for file in files where !copy("\(from)/\(file)", to == "." ? file : "\(to)/\(file)") {
      isComplete = false
    }
    return isComplete ? ExitStatus.done : ExitStatus.usage
  }

  /// The files that belong to the pipeline, relative to its folder; those outside of it stay where they are.
  private var files: [String] { reader.filesReferred.filter { !$0.hasPrefix("..") } }

  /// The text of the pipeline, with another name, and with the path of the copy in its comments.
  private func text(named name: String?, at target: String?) -> String {
    var bytes = bytes
    if let name,
      let old = YAMLDocument(SourceFile(path: path, bytes: bytes), environment: { _ in "" })
        .root?.mapping?["name"]?.value.place
    {
      bytes.replaceSubrange(old.range, with: Array(FlowYAML.quoted(name).utf8))
    }
    var text = String(decoding: bytes, as: UTF8.self)
    let (folder, file) = splitPath(path)
    // A recording stays where it is.
    let recording = "recordings/\(file.prefix { $0 != "." }) "
    if access("\(folder)/\(recording.dropLast())", F_OK) == 0 {
      text = text.replacing(" \(recording)", by: " \(folder)/\(recording)")
    }
    return target.map { text.replacing("pipelines/\(file)", by: $0) } ?? text
  }

  /// Copies a file unless it exists; false, and a message, if that fails.
  private func copy(_ from: String, _ to: String) -> Bool {
    if InstalledPipelines.isFile(to) {
      if let old = try? readFile(to), let new = try? readFile(from), old == new { return true }
      Terminal.complain("flow new: kept \(to), which differs from that of the pipeline\n")
      return true
    }
    do {
      var status = stat()
      let isExecutable = stat(from, &status) == 0 && status.st_mode & S_IXUSR != 0
      NewFile.makeFolders(of: to)
      guard let problem = NewFile.write(try readFile(from), to: to, isExecutable: isExecutable) else {
        Terminal.complain("wrote \(to)\n")
        return true
      }
      Terminal.complain("flow new: \(problem)\n")
    } catch {
      Terminal.complain("flow new: \(error)\n")
    }
    return false
  }
}
