import Language
import System
import JSON
import Store

/// What a ledger keeps by name, beside the tables of steps: how far sources have come, numbers and marks of sinks.
extension Ledger {
  func fact(_ owner: String, _ name: String) throws -> Fact? {
    let key = FactName(owner: owner, name: name)
    if let fact = state.value.facts[key] ?? state.value.idleFacts[key] { return fact }
    return try state.value.file.fact(owner: owner, name: name)
  }

  func set(_ fact: Fact?, _ owner: String, _ name: String, isIdle: Bool = false) {
    let key = FactName(owner: owner, name: name)
    if isIdle, state.value.facts[key] == nil {
      state.value.idleFacts[key] = .some(fact)
    } else {
      state.value.facts[key] = .some(fact)
    }
  }

  func setPosition(_ position: Value, of source: String, isIdle: Bool) {
    set(.text(position.description), source, "position", isIdle: isIdle)
  }

  func position(of source: String) throws -> Value? {
    try fact(source, "position")?.text.flatMap { try? Value.parse($0) }
  }
}
