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
  .stateless { options, context in
    let message = context.evaluation(options[LogOptions.message])
    let (level, log) = (options[LogOptions.level], context.log)
    return .do { event in
      let text = try event.text(message)
      switch level {
      case .warning: log.warning(text)
      case .notice: log.notice(text)
      case .detail: log.detail(text)
      }
    }
  }
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
