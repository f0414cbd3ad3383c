import Engine
import JSON
import Store

/// The packs between the copies of a pipeline's tasks below a partition and the later copy of what is above it: they were
/// sent, and had not come.
struct PacksOnTheWay {
  /// The sender's chain.
  private let chain: String
  /// The ordinal of the last pack that was sent to each task.
  private let sent: [Int: Int64]
  /// The ordinal of the last one that each task has taken, where that is of the same chain.
  private let taken: [Int: Int64]
  /// The packs that the sender still has, and sends again.
  private var waiting: [Int: Set<Int64>] = [:]

  /// Nil where nothing was sent.
  init?(of pipeline: String, _ tasks: [String], in folder: ClusterBackup.Folder) throws {
    let reader = try StateReader(path: folder.state(of: pipeline))
    let facts = try reader.facts()
    guard let mark = facts.first(where: { $0.name == "chain" }), let chain = Self.value(mark)?.string else {
      return nil
    }
    self.chain = chain
    var sent: [Int: Int64] = [:]
    for fact in facts where fact.owner == mark.owner && fact.name.hasPrefix("ordinal ") {
      if let task = Int(fact.name.dropFirst(8)) {
        sent[task] = Self.value(fact)?.string.flatMap { Int64($0) }
      }
    }
    self.sent = sent
    var taken: [Int: Int64] = [:]
    for name in tasks {
      guard let number = name.split(separator: "~").last.flatMap({ Int($0) }),
        let facts = try? StateReader(path: folder.state(of: name)).facts(),
        let position = facts.first(where: { $0.owner == mark.owner && $0.name == "position" })
          .flatMap({ Self.value($0) }),
        position.member("chain")?.string == chain
      else { continue }
      taken[number] = position.member("ordinal")?.string.flatMap { Int64($0) }
    }
    self.taken = taken
    var last = OutputPlace(epoch: -1, index: 0)
    while case let entries = try reader.outbox(sink: mark.owner, after: last), let end = entries.last {
      for pack in entries.compactMap({ Pack($0.bytes) }) {
        waiting[pack.task, default: []].insert(pack.ordinal)
      }
      last = end.place
    }
  }

  private static func value(_ fact: StoredFact) -> Value? { fact.value.text.flatMap { try? Value.parse($0) } }

  /// The packs to keep of those that were seen, in order and each once; nil where one is missing.
  func choose(_ seen: [[UInt8]]) -> [[UInt8]]? {
    var found: [Int: [Int64: [UInt8]]] = [:]
    // What a sender has sent whose state was removed since comes first, and a task skips what it has taken of it.
    var chosen: [[UInt8]] = []
    var former: Set<String> = []
    for bytes in seen {
      guard let pack = Pack(bytes) else { continue }
      if pack.chain == chain {
        found[pack.task, default: [:]][pack.ordinal] = bytes
      } else if former.insert("\(pack.chain) \(pack.task) \(pack.ordinal)").inserted {
        chosen.append(bytes)
      }
    }
    for (task, last) in sent.sorted(by: { $0.key < $1.key }) {
      let first = (taken[task] ?? 0) + 1
      // A task that has taken more than its sender has sent is of another time.
      guard first <= last + 1 else { return nil }
      for ordinal in first..<(last + 1) {
        if let bytes = found[task]?[ordinal] {
          chosen.append(bytes)
        } else if waiting[task]?.contains(ordinal) != true {
          return nil
        }
      }
    }
    return chosen
  }
}
