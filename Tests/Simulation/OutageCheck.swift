import JSON
import SimulatedDisk

/// Holds the log of a pipeline's errors against itself: each outage of a node has a beginning and an end, in turn, also
/// where they lie in two lives, and a change of its kind between them is one.
struct OutageCheck {
  static let folder = "/trouble"
  static let path = "\(folder)/log.jsonl"

  private let process: SimulatedProcess

  init(_ process: SimulatedProcess) { self.process = process }

  /// The number of outages.
  func check() throws -> Int {
    var kinds: [String: String] = [:]
    var count = 0
    for line in try lines() {
      guard let kind = line.member("kind")?.string, let type = line.member("type")?.string else { continue }
      let node = (line.member("node")?.string ?? "") + (line.member("entry").map { "[\($0)]" } ?? "")
      let before = kinds[node]
      switch type {
      case "failed" where before == nil: kinds[node] = kind
      case "changed" where before != nil && before != kind: kinds[node] = kind
      case "recovered" where before != nil: kinds[node] = nil
      default:
        let all = try lines().map { "\n  \($0)" }.joined()
        throw Complaint("after \(before ?? "no outage") of \(node) came \(line); in all\(all)")
      }
      if type == "failed" { count += 1 }
    }
    return count
  }

  /// The events of the log and of the files that were set aside after a loss, in the order in which they were begun.
  private func lines() throws -> [Value] {
    var files: [(inode: Int, bytes: [UInt8])] = []
    for path in try LineCheck.all(process, in: Self.folder) {
      let file = try process.open(path, .existing)
      files.append((try file.inode, try file.read(at: 0, count: file.size)))
    }
    return files.sorted { $0.inode < $1.inode }.flatMap { file in
      file.bytes.split(separator: 0x0a).compactMap { line in
        // What a cut or a kill has left of a line was ended, and written again in whole.
        try? Value.parse(Array(line))
      }
    }
  }
}
