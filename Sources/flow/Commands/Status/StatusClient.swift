import Engine
import Glibc
import JSON
import System

/// The client of `StatusServer`: asks the processes that run pipelines with state in a folder.
///
/// One mechanism for `flow status`, `flow top`, `flow tap`, `flow ack` and `flow stop`.
enum StatusClient {
  /// Longer than a process takes whose lanes all hang.
  private static let timeout = 5

  /// The status of every process, and the ids of those that do not answer.
  static func processes(in folder: String) -> (answers: [RunStatus], silent: [Int]) {
    answers(to: .record([("get", .string("status"))]), in: folder, as: RunStatus.init)
  }

  /// The answers of all processes to a request, and the ids of those that do not answer.
  static func answers<Answer>(
    to request: Value, in folder: String, as read: (Value) -> Answer?
  ) -> (answers: [Answer], silent: [Int]) {
    var (answers, silent): ([Answer], [Int]) = ([], [])
    for name in ((try? namesOfFiles(in: folder)) ?? []).sorted() where name.hasSuffix(".sock") {
      guard let process = Int(name.dropLast(5)),
        // One that was killed has left its socket behind.
        let connection = try? LocalSocket.connect(to: "\(folder)/\(name)")
      else { continue }
      if let answer = ask(connection.number, request).flatMap(read) {
        answers.append(answer)
      } else {
        silent.append(process)
      }
    }
    return (answers, silent)
  }

  /// The socket of a process.
  static func path(of process: Int, in folder: String) -> String { "\(folder)/\(process).sock" }

  /// The answer of one process; nil where it does not answer, or does not run any more.
  static func answer(of process: Int, to request: Value, in folder: String) -> Value? {
    guard let connection = try? LocalSocket.connect(to: path(of: process, in: folder)) else { return nil }
    return ask(connection.number, request)
  }

  private static func ask(_ connection: Int32, _ request: Value) -> Value? {
    LocalSocket.setTimeout(timeout, of: connection)
    guard LocalSocket.write(request.json + [0x0a], to: connection),
      let line = LocalSocket.readLine(from: connection)
    else { return nil }
    return try? Value.parse(line)
  }
}
