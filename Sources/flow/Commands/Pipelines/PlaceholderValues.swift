import Glibc
import Language
import Reactive
import System

/// The values of placeholders on this machine.
///
/// A file is looked for next to the pipeline or config that names it. Commands run only for `flow run` and the like, in
/// the working directory, each once however often it is named; `flow check` must have no effects.
final class PlaceholderValues: Sendable {
  private let isForRun: Bool
  /// Whether values may be missing in a run, as in a replay, which sends nothing.
  private let mayLack: Bool
  /// The variables that were asked for.
  private let asked = Locked<Set<String>>([])
  private let outputs = Locked<[String: [UInt8]]>([:])
  /// The time after which a command has failed: a password manager may ask its user.
  private static let timeout = Duration.seconds(60)

  init(isForRun: Bool, mayLack: Bool = false) { (self.isForRun, self.mayLack) = (isForRun, mayLack) }

  var variables: [String] { asked.withLock { $0.sorted() } }

  /// The placeholders in a file.
  func placeholders(in file: String) -> Placeholders {
    var placeholders = Placeholders { [self] name in
      asked.withLock { _ = $0.insert(name) }
      return Terminal.environment(name)
    }
    placeholders.isForRun = isForRun && !mayLack
    let folder = splitPath(file).folder
    placeholders.readFile = { path throws(Sentence) in
      try Self.contents(path.hasPrefix("/") || folder == "." ? path : "\(folder)/\(path)")
    }
    placeholders.credential = { name throws(Sentence) in
      guard let folder = Terminal.environment("CREDENTIALS_DIRECTORY") else { return nil }
      return try Self.contents("\(folder)/\(name)")
    }
    if isForRun {
      placeholders.output = { [self] command throws(Sentence) in
        mayLack ? try? output(of: command) : try output(of: command)
      }
    }
    return placeholders
  }

  /// Nil where there is no such file.
  private static func contents(_ path: String) throws(Sentence) -> [UInt8]? {
    do throws(FileFailure) {
      return try readFile(path, limit: Placeholders.limit)
    } catch {
      if error.code == ENOENT { return nil }
      throw Sentence("\(error)")
    }
  }

  private func output(of line: String) throws(Sentence) -> [UInt8] {
    if let known = outputs.withLock({ $0[line] }) { return known }
    let command = ChildCommand(
      arguments: ["/bin/sh", "-c", line], output: .captured(limit: Placeholders.limit + 1),
      timeout: Self.timeout)
    var complaint: String?
    let result = command.run { complaint = complaint ?? $0 }
    guard case .exited(0) = result.end else {
      throw Sentence(
        "the command failed: \(result.end)" + (complaint.map { ": \(printable($0))" } ?? ""),
        hint: "try it in a shell, as the user that runs flow")
    }
    outputs.withLock { $0[line] = result.output }
    return result.output
  }
}
