import JSON
import Engine
import Language

/// `log`: tells of each event in the log, and lets it through.
let log = NodeSpec(
  "log", "write a line about each event to the log, and pass it on",
  options: AnyOption.list(LogOptions.message, LogOptions.level),
  shorthand: "message",
  examples: [
    .init("a word in between", #"log: 'launch \(.id)'"#, input: #"0s {"id": 1}"#, output: #"0s {"id":1}"#),
    .init(
      "only with --verbose", #"log: { message: '\(.)', level: detail }"#, input: "0s 1", output: "0s 1"),
  ],
  .step { options, context in LogStep(options, context) })

private enum LogOptions {
  enum Level: String, CaseIterable, Sendable { case warning, notice, detail }

  static let message = Option(
    "message", .template, default: #"'\(.)'"#, "the line", example: #"'launch \(.name)'"#)
  static let level = Option(
    "level", OptionType<Level>.choice(), default: "notice",
    "how grave it is: detail is shown with --verbose only")
}

private final class LogStep: Step {
  private let message: Evaluation
  private let level: LogOptions.Level
  private let log: NodeLog

  init(_ options: Options, _ context: StepContext) {
    message = context.evaluation(options[LogOptions.message])
    level = options[LogOptions.level]
    log = context.log
  }

  func take(_ event: Event, _ out: Downstream) throws {
    // Passed on whatever becomes of the line.
    defer { out.send(event) }
    let text = try event.text(message)
    switch level {
    case .warning: log.warning(text)
    case .notice: log.notice(text)
    case .detail: log.detail(text)
    }
  }
}
