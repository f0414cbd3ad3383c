import Reactive
import Testing

@testable import Store

/// All that a state file holds, as plain values.
struct StateModel: Equatable, CustomStringConvertible {
  static let nodes = ["n", "m"]
  static let sinks = ["log", "mail"]
  static let owners = ["file", "poll"]
  static let names = ["offset", "tag"]

  var epoch: Int64 = 0
  var tables: [String: KeyedTableModelTests.Model] = [:]
  var facts: [String: Fact] = [:]
  var outbox: [String: [OutboxEntry]] = [:]
  var written: [String: OutputPlace] = [:]
  var dead: [DeadLetter] = []
  /// What dead letters are numbered up to.
  var lastNumber: Int64 = 0

  var description: String {
    let parts =
      tables.sorted { $0.key < $1.key }.map { node, table in
        let entries = table.keys.map { key in
          let value = table.values[key] ?? []
          return "\(String(decoding: key, as: UTF8.self)):\(value.count)×\(value.first ?? 0)"
        }
        return "\(node) [\(entries.joined(separator: " "))]"
      } + facts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      + outbox.sorted { $0.key < $1.key }.map { sink, entries in
        "\(sink) [\(entries.map { "\($0.place.epoch).\($0.place.index)" }.joined(separator: " "))]"
      } + written.sorted { $0.key < $1.key }.map { "\($0.key) through \($0.value.epoch).\($0.value.index)" }
    return "epoch \(epoch), \(parts.joined(separator: ", ")), dead \(dead.map(\.number)) of \(lastNumber)"
  }

  init(nodes: [String]) {
    for node in nodes { tables[node] = .init() }
    for sink in StateModel.sinks { outbox[sink] = [] }
  }

  /// What a file holds, changes of its tables that wait for a commit included.
  init(_ state: StateFile, nodes: [String]) throws {
    self.init(nodes: nodes)
    epoch = state.epoch
    for node in nodes {
      let table = try state.table(node: node, description: "d")
      let content = KeyedTableModelTests.contents(table)
      guard table.count == content.keys.count else {
        throw WalkFailure("table \(node) counts \(table.count) keys and has \(content.keys.count)")
      }
      tables[node] = content
    }
    if let error = state.database.readError { throw error }
    for owner in StateModel.owners {
      for name in StateModel.names { facts["\(owner).\(name)"] = try state.fact(owner: owner, name: name) }
    }
    for sink in StateModel.sinks {
      outbox[sink] = try state.outbox(sink: sink, limit: .max)
      written[sink] = try state.written(sink: sink)
    }
    dead = try state.deadLetters(limit: .max)
    let last = "SELECT seq FROM sqlite_sequence WHERE name = 'dead'"
    lastNumber = try state.database.integer(last) ?? 0
  }
}

/// Something that is written in an epoch.
enum StateAction {
  case set(Fact, String, String)
  case forget(String, String)
  case put(OutboxEntry)
  case markWritten(String, OutputPlace)
  case remove(String, OutputPlace)
  case giveUp(OutboxEntry)
  case retry(Int64)
  case drop(Int64)

  func apply(to epoch: borrowing Epoch) throws(StoreError) {
    switch self {
    case .set(let fact, let owner, let name): try epoch.set(fact, owner: owner, name: name)
    case .forget(let owner, let name): try epoch.remove(owner: owner, name: name)
    case .put(let entry): try epoch.put(entry)
    case .markWritten(let sink, let place): try epoch.markWritten(sink: sink, through: place)
    case .remove(let sink, let place): try epoch.remove(sink: sink, at: place)
    case .giveUp(let entry): try epoch.giveUp(entry, reason: "no", at: 7)
    case .retry(let number): try epoch.retry(deadLetter: number)
    case .drop(let number): try epoch.drop(deadLetter: number)
    }
  }

  func apply(to model: inout StateModel) {
    switch self {
    case .set(let fact, let owner, let name): model.facts["\(owner).\(name)"] = fact
    case .forget(let owner, let name): model.facts["\(owner).\(name)"] = nil
    case .put(let entry): put(entry, &model)
    case .markWritten(let sink, let place):
      model.outbox[sink]?.removeAll { $0.place <= place }
      model.written[sink] = max(model.written[sink] ?? place, place)
    case .remove(let sink, let place): model.outbox[sink]?.removeAll { $0.place == place }
    case .giveUp(let entry):
      model.outbox[entry.sink]?.removeAll { $0.place == entry.place }
      var entry = entry
      entry.due = 0
      model.lastNumber += 1
      model.dead.append(DeadLetter(number: model.lastNumber, entry: entry, at: 7, reason: "no"))
    case .retry(let number):
      if var entry = model.dead.first(where: { $0.number == number })?.entry {
        (entry.attempts, entry.due) = (0, 0)
        put(entry, &model)
      }
      model.dead.removeAll { $0.number == number }
    case .drop(let number): model.dead.removeAll { $0.number == number }
    }
  }

  private func put(_ entry: OutboxEntry, _ model: inout StateModel) {
    model.outbox[entry.sink]?.removeAll { $0.place == entry.place }
    model.outbox[entry.sink]?.append(entry)
    model.outbox[entry.sink]?.sort { $0.place < $1.place }
  }

  /// One that means something to what the model holds, or next to nothing.
  static func random(_ model: StateModel, _ dice: inout SplitMix64) -> StateAction {
    let sink = StateModel.sinks.randomElement(using: &dice) ?? ""
    let owner = StateModel.owners.randomElement(using: &dice) ?? ""
    let name = StateModel.names.randomElement(using: &dice) ?? ""
    let entries = model.outbox[sink] ?? []
    switch Int.random(in: 0..<12, using: &dice) {
    case 0..<2: return .set(.integer(Int64(dice.next() >> 1)), owner, name)
    case 2: return .set(.text(String(repeating: "t", count: Int(dice.next() % 20))), owner, name)
    case 3: return .forget(owner, name)
    case 4..<7:
      let place = OutputPlace(epoch: model.epoch, index: Int64(dice.next() % 8))
      let count = dice.next() % 16 == 0 ? 9000 : Int(dice.next() % 300)
      let value = UInt8.random(in: 0...255, using: &dice)
      let bytes = Array(repeating: value, count: count)
      let attempts = Int(dice.next() % 2)
      return .put(
        OutboxEntry(sink: sink, place: place, id: "\(value)", attempts: attempts, due: 5, bytes: bytes))
    case 7..<9:
      let place = entries.randomElement(using: &dice)?.place ?? OutputPlace(epoch: 0, index: 3)
      return .markWritten(sink, place)
    case 9:
      return .remove(sink, entries.randomElement(using: &dice)?.place ?? OutputPlace(epoch: 1, index: 1))
    case 10: return entries.randomElement(using: &dice).map { .giveUp($0) } ?? .forget(owner, name)
    default:
      let number = model.dead.randomElement(using: &dice)?.number ?? 1
      return dice.next() % 3 == 0 ? .drop(number) : .retry(number)
    }
  }
}
