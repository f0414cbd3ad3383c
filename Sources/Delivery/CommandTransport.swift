import System
import JSON
import Engine
import Language
import Reactive
import Store

/// A command to run for an event, as it is stored in the outbox.
package struct CommandItem: EventItem, JSONRecord {
  package var arguments: [String]
  /// Its standard input; nil for the event.
  var input: String?
  package var environment: [String: String] = [:]
  package var event: Event?

  package init(
    arguments: [String], input: String? = nil, environment: [String: String] = [:], event: Event? = nil
  ) {
    self.arguments = arguments
    self.input = input
    self.environment = environment
    self.event = event
  }

  package static let form = RecordForm<Self>(
    Self.init(arguments:input:environment:event:), Field("arguments", \.arguments), Field("input", \.input),
    Field("environment", \.environment, unless: [:]), Field("event", \.event))

  package var inputBytes: [UInt8] {
    if let input { return Array(input.utf8) }
    return event.map { $0.value.json + [0x0a] } ?? []
  }
}

/// Runs commands as child processes, each on a thread that waits for it.
package final class CommandTransport: SingleTransport, Sendable {
  /// Where the standard output of a command goes.
  package enum Output: String, CaseIterable, Sendable {
    case log, discard, stdout

    /// How much of it is captured.
    fileprivate var capture: ChildCommand.Output {
      switch self {
      case .log: .captured(limit: ErrorLines.mostBytes)
      case .stdout: .captured(limit: 1 << 20)
      case .discard: .discarded
      }
    }
  }

  private static let eventID = "FLOW_EVENT_ID"

  package let delivers: Deliverable
  /// A command acts on the real world, in which virtual time does not pass.
  package let retriesInRealTime = true
  private let context: SinkContext
  private let output: Output
  private let timeout: Duration
  /// Threads without a command; the queue never asks for more of them than its concurrency.
  private let idle = Locked<[SerialScheduler]>([])
  /// For the lane: what commands printed, and how many bytes more were discarded.
  private let printed = Locked<[(bytes: [UInt8], lost: Int)]>([])

  package init(
    _ context: SinkContext, delivers: Deliverable = .command, output: Output = .log,
    timeout: Duration = .seconds(10)
  ) {
    (self.context, self.delivers, self.output, self.timeout) = (context, delivers, output, timeout)
  }

  package func begin(_ item: CommandItem, id: String, _ end: @escaping DeliveryEnd) -> Subscription {
    var command = ChildCommand(arguments: item.arguments, output: output.capture, timeout: timeout)
    command.environment = environment(of: item, id: id)
    let stop = StopSign()
    let thread = idle.withLock { $0.popLast() } ?? SerialScheduler(name: "flow-exec")
    thread.perform { [self, command] in
      crashPoint("command.starting")
      let result = command.run(input: item.inputBytes, stop: stop) { context.log.notice($0) }
      crashPoint("command.ended")
      if output == .log { log(result) } else { keep(result) }
      idle.withLock { $0.append(thread) }
      end(result.end.failure(of: quoted(item.name)))
    }
    let attempt = Subscription()
    attempt.onDispose { stop.set() }
    return attempt
  }

  private func environment(of item: CommandItem, id: String) -> [String: String] {
    let poll = item.event?.poll
    let environment = [
      "FLOW_PIPELINE": context.pipeline, "FLOW_SINK": context.name, "FLOW_SOURCE": poll?.source ?? "",
      "FLOW_POLL": poll.flatMap { $0.number > 0 ? "\($0.number)" : nil } ?? "", Self.eventID: id,
    ]
    return environment.merging(item.environment) { _, own in own }
  }

  package func endLeftovers(of ids: [String]) {
    let count = LeftoverProcesses.end(having: Self.eventID, among: Set(ids))
    if count > 0 { context.log.notice(LeftoverProcesses.message(count)) }
  }

  private func log(_ result: ChildResult) {
    var lines = ErrorLines()
    result.output.withUnsafeBytes { lines.take($0, context.log.notice) }
    lines.end(context.log.notice)
    if result.outputLost > 0 { context.log.notice("… \(roughSize(result.outputLost)) more not shown") }
  }

  private func keep(_ result: ChildResult) {
    if !result.output.isEmpty { printed.withLock { $0.append((result.output, result.outputLost)) } }
  }

  package func takeOutput(of ended: [UInt64]) throws {
    let all = printed.withLock { printed in
      defer { printed = [] }
      return printed
    }
    for (bytes, lost) in all {
      if lost > 0 { context.log.warning("\(roughSize(lost)) of a command's output were discarded") }
      // It may contain data, which must not control a terminal.
      let isTerminal = context.screen.isTerminal
      let shown = isTerminal ? Array(printableLines(String(decoding: bytes, as: UTF8.self)).utf8) : bytes
      try context.screen.write(shown)
    }
  }

  package func cutShortMessage(_ item: any DeliveryItem, attempts: Int) -> String {
    "\(quoted((item as? CommandItem)?.name ?? "")) was \(attempts == 0 ? "not run" : "stopped"): the pipeline ended"
  }

  package func leftMessage(_ count: Int) -> String {
    count == 1
      ? "one command was interrupted; the next run starts it again"
      : "\(count) commands were interrupted; the next run starts them again"
  }
}

extension CommandItem {
  fileprivate var name: String { arguments.first ?? "" }
}

extension ChildEnd {
  /// The end as the failure of an attempt; nil for success.
  package func failure(of name: String) -> DeliveryFailure? {
    switch self {
    case .exited(0): nil
    case .stopped: .cancelled
    case .couldNotStart(let reason, let mayPass): DeliveryFailure(reason, mayPass: mayPass)
    default: DeliveryFailure("\(name): \(self)", mayPass: isWorthRetrying)
    }
  }
}
