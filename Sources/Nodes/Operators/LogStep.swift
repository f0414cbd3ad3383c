import JSON
import Engine
import Language

/// `log`: writes a line about each event to the log and passes the event on.
package let log = NodeSpec(
  "log", "write a line about each event to the log and pass the event on",
  reference: .init(PackageResources.log_md),
  options: AnyOption.list(LogOptions.message, LogOptions.level),
  shorthand: "message",
  partitioning: .each,
  .step { options, context in LogStep(options, context) }
)
.passingOn()

private enum LogOptions {
  enum Level: String, CaseIterable, Sendable { case warning, notice, detail }

  static let message = Option(
    "message", .template, default: #"'\(.)'"#, "the text of the line", example: #"'launch \(.name)'"#)
  static let level = Option(
    "level", OptionType<Level>.choice(), default: "notice",
    "the severity; detail is shown only with --verbose")
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
    // Passed on even if the line fails.
    defer { out.send(event) }
    let text = try event.text(message)
    switch level {
    case .warning: log.warning(text)
    case .notice: log.notice(text)
    case .detail: log.detail(text)
    }
  }
}
