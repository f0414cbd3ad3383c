import Glibc
import JSON
import Store

/// A summary of a state file: numbers, not keys.
struct StateSummary {
  let name: String
  /// The file, and its size on disk including the files next to it.
  let path: String
  let size: Int
  /// When it was last written, in seconds since 1970.
  let changed: Double
  let epoch: Int64
  /// The pipeline's own file, if known.
  let pipeline: String?
  /// By name.
  let nodes: [StateNode]

  var keys: Int { nodes.reduce(0) { $0 + $1.keys } }
  var waiting: Int { nodes.reduce(0) { $0 + $1.waiting } }
  var dead: Int { nodes.reduce(0) { $0 + $1.dead } }

  /// The owner of facts about the pipeline itself.
  private static let pipelineOwner = "pipeline"

  init(_ name: String, _ reader: StateReader) throws(StoreError) {
    self.name = name
    path = reader.path
    (size, changed) = StateSummary.measure(path)
    epoch = try reader.epoch()
    var nodes: [String: StateNode] = [:]
    func change(_ name: String, _ change: (inout StateNode) -> Void) {
      change(&nodes[name, default: StateNode(name: name)])
    }
    for table in try reader.tables() where StateNode.name(ofTable: table.node) != StateSummary.pipelineOwner {
      change(StateNode.name(ofTable: table.node)) { $0.tables.append(table) }
    }
    let facts = try reader.facts()
    for fact in facts where fact.owner != StateSummary.pipelineOwner {
      change(fact.owner) { $0.facts.append(fact) }
    }
    for sink in try reader.sinks() { change(sink.name) { $0.sink = sink } }
    pipeline = facts.first { $0.owner == StateSummary.pipelineOwner && $0.name == "path" }?.value.text
    self.nodes = nodes.values.sorted { $0.name < $1.name }
  }

  static func measure(_ path: String) -> (size: Int, changed: Double) {
    var (size, changed) = (0, 0.0)
    for part in StateFolder.parts {
      var status = stat()
      guard stat(path + part, &status) == 0 else { continue }
      size += Int(status.st_size)
      // Readers also touch the index, `-shm`.
      if part == "-shm" { continue }
      changed = max(changed, Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9)
    }
    return (size, changed)
  }
}

/// The state of one source, step or sink.
struct StateNode {
  let name: String
  var tables: [StoredTable] = []
  var facts: [StoredFact] = []
  var sink: StoredSink?

  var keys: Int { tables.reduce(0) { $0 + $1.keys } }
  var waiting: Int { sink?.waiting ?? 0 }
  var dead: Int { sink?.dead ?? 0 }

  /// The position of a source.
  var position: Fact? { facts.first { $0.name == "position" }?.value }

  /// The marks of a sink's files.
  var files: [(path: String, mark: Fact)] {
    facts.compactMap { $0.name.hasPrefix("file:") ? (String($0.name.dropFirst(5)), $0.value) : nil }
  }

  /// All other facts.
  var otherFacts: [StoredFact] { facts.filter { $0.name != "position" && !$0.name.hasPrefix("file:") } }

  /// The node of a table, `NODE` or `NODE@PART`.
  static func name(ofTable table: String) -> String {
    table.utf8.firstIndex(of: UInt8(ascii: "@")).map { String(table[..<$0]) } ?? table
  }
}
