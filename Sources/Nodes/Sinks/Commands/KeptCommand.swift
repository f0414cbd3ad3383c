import JSON
import Engine
import Language

/// A command that is to be run for an event, as it waits in the outbox.
struct KeptCommand: Remembered {
  var arguments: [String]
  /// What it reads; nil for the event.
  var input: String?
  var environment: [String: String] = [:]
  var event: Engine.Event?

  init(
    arguments: [String], input: String? = nil, environment: [String: String] = [:], event: Engine.Event?
  ) {
    self.arguments = arguments
    self.input = input
    self.environment = environment
    self.event = event
  }

  init?(remembered value: Value) {
    guard let arguments = value.member("arguments")?.items?.compactMap(\.string), !arguments.isEmpty else {
      return nil
    }
    self.init(
      arguments: arguments, input: value.member("input")?.string,
      event: value.member("event").flatMap { Event(remembered: $0) })
    value.member("environment")?.forEachMember { name, value in
      if let name = name.string { environment[name] = value.string }
    }
  }

  var remembered: Value {
    var members: [(String, Value)] = [("arguments", .array(arguments.map { .string($0) }))]
    if let input { members.append(("input", .string(input))) }
    if !environment.isEmpty {
      let sorted = environment.sorted { $0.key < $1.key }
      members.append(("environment", .record(sorted.map { ($0.key, .string($0.value)) })))
    }
    if let event { members.append(("event", event.remembered)) }
    return .record(members)
  }

  var bytes: [UInt8] {
    if let input { return Array(input.utf8) }
    return event.map { $0.value.json + [0x0a] } ?? []
  }
}
