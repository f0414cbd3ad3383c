import Glibc
import Synchronization
import Testing

/// Something that a rule of the house objects to.
struct Finding {
  /// What is counted together: a file's name, a type's, a word.
  let key: String
  let place: String
  let message: String

  init(_ key: String, _ file: Repository.File, line: Int, _ message: String) {
    (self.key, self.message) = (key, message)
    place = "\(file.path):\(line)"
  }
}

/// How many objections of each kind there still are: a ceiling that may only go down, in `ratchet.txt`, one line each of
/// rule, key and count.
///
/// `FLOW_TIDY=lower` lowers ceilings to what there is now; nothing raises them but a person, with a reason.
enum Ratchet {
  static let path = "Tests/Tidy/ratchet.txt"
  static let isLowering = getenv("FLOW_TIDY").map { String(cString: $0) } == "lower"

  /// The ceilings when the tests began.
  private static let ceilings: [String: Int] = {
    var ceilings: [String: Int] = [:]
    for line in Repository.file(path)?.lines ?? [] where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " "), let count = Int(line[line.index(after: space)...]) else {
        continue
      }
      ceilings[String(line[..<space])] = count
    }
    return ceilings
  }()

  /// One rule rewrites the file at a time: suites run in parallel, and one would read what another has half written.
  private static let rewriting = Mutex(())

  /// Fails for each key that has more findings than its ceiling, and names them.
  static func expect(_ findings: [Finding], rule: String) {
    let ceilings = ceilings
    let found = Dictionary(grouping: findings, by: \.key)
    var lines: [String] = []
    for (key, ones) in found.sorted(by: { $0.key < $1.key }) {
      let ceiling = ceilings["\(rule) \(key)"] ?? 0
      if ones.count <= ceiling { continue }
      lines.append("\(rule) \(key) \(ones.count)\(ceiling > 0 ? ", where \(path) allows \(ceiling)" : "")")
      lines += ones.prefix(40).map { "  \($0.place): \($0.message)" }
    }
    if !lines.isEmpty { Issue.record("\(lines.joined(separator: "\n"))") }
    if isLowering { rewriting.withLock { _ in lower(rule, to: found.mapValues(\.count)) } }
  }

  private static func lower(_ rule: String, to counts: [String: Int]) {
    let lines = (Repository.file(path)?.lines ?? []).compactMap { line -> String? in
      guard let key = line.after("\(rule) ").flatMap({ rest in rest.lastIndex(of: " ").map { rest[..<$0] } }),
        let ceiling = ceilings[rule + " " + key]
      else { return String(line) }
      guard let count = counts[String(key)] else { return nil }
      return "\(rule) \(key) \(min(count, ceiling))"
    }
    guard let file = fopen("\(Repository.root)/\(path)", "w") else { return }
    fputs(lines.joined(separator: "\n"), file)
    fclose(file)
  }
}
