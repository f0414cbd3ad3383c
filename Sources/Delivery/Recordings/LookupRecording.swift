import System
import Fetch
import JSON
import Engine
import Language
import Reactive

/// Writes down what the lookups of a run have found, those of all its steps in one file.
public final class LookupRecording: Sendable {
  private let path: String
  private let mask: @Sendable (String) -> String
  private let file = Locked<RecordingFile?>(nil)

  /// `masking` takes secrets out of what is written.
  public init(_ path: String, masking: @escaping @Sendable (String) -> String) {
    self.path = path
    mask = masking
  }

  /// Makes the file, so that a recording is known to have lookups though there may be none.
  func begin(on disk: any Disk, _ log: NodeLog) {
    file.withLock { file in
      if file != nil { return }
      let made = RecordingFile(path, on: disk, log, of: "lookups")
      made.add(line: [])
      file = made
    }
  }

  func add(_ request: Request, at time: Double, step: String, _ found: Result<LookupAnswer, any Error>) {
    let url = Self.name(of: request, masking: mask)
    let line = RecordedLookup(at: time, step: step, url: url, cleaned(found, request)).line
    file.withLock { $0?.add(line: line) }
  }

  /// An answer without secrets.
  private func cleaned(
    _ found: Result<LookupAnswer, any Error>, _ request: Request
  ) -> Result<LookupAnswer, Sentence> {
    switch found {
    case .failure(let error): return .failure(.init(mask("\(error)")))
    case .success(let answer):
      let text = answer.value.description
      let shown = mask(request.masked(text))
      if shown == text { return .success(answer) }
      // A secret that is no text in the JSON leaves none behind.
      guard let value = try? Value.parse(shown) else {
        return .failure(.init("\(request): the answer repeats a secret, and is not recorded"))
      }
      return .success(LookupAnswer(value, age: answer.age))
    }
  }

  /// The name of a request in a recording: its address, without secrets.
  static func name(of request: Request, masking mask: (String) -> String) -> String {
    mask(request.masked("\(request.address)"))
  }
}
