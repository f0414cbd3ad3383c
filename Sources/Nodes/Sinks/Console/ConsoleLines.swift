import JSON
import Engine
import Language

/// The console without a table: prints each event as JSON or by a template.
final class ConsoleLines: Sink {
  /// The size at which the buffer is written.
  private static let full = 1 << 16

  private let template: Evaluation?
  private let writer: Writer
  private let clips: Bool
  private let painter: ConsolePainter
  private let screen: Screen
  private let output = Output(capacity: ConsoleLines.full)
  /// The events in it.
  private var count = 0

  init(
    template: Template?, isPretty: Bool, clips: Bool, _ painter: ConsolePainter, _ context: SinkContext
  ) {
    self.template = template.map { context.evaluation($0) }
    writer = Writer(isPretty ? .pretty : .compact)
    self.clips = clips && context.screen.isTerminal
    self.painter = painter
    screen = context.screen
  }

  func take(_ event: Event) throws {
    if template == nil, !screen.isTerminal, !event.value.isString {
      // JSON for another program needs no escapes.
      writer.write(event.value, to: output)
    } else {
      let text = try template.map { try event.text($0) } ?? event.value.string
      let style = painter.style(of: event)
      if screen.isTerminal, let text, let lines = DifferenceLine.lines(of: text) {
        output.put(lines.map { dressed(printable($0.text), $0.style ?? style) }.joined(separator: "\n"))
      } else {
        let text = shown(text, event)
        output.put(style == .plain && !clips ? text : dressed(text, style))
      }
    }
    output.put(UInt8(ascii: "\n"))
    count += 1
    if output.count >= Self.full { try endTurn() }
  }

  private func shown(_ text: String?, _ event: Event) -> String {
    // Pretty JSON has lines of its own; those within its texts are escaped in JSON already.
    guard let text else { return printableLines(writer.text(event.value)) }
    return screen.isTerminal ? printable(text) : printableLines(text)
  }

  private func dressed(_ text: String, _ style: Style) -> String {
    let width = clips ? screen.size().columns : .max
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { painter.paint($0.clipped(to: width), style) }
      .joined(separator: "\n")
  }

  func endTurn() throws {
    if output.count == 0 { return }
    // Emptied first, so that a failed write is not repeated.
    let bytes = output.bytes
    let events = count
    output.removeAll()
    count = 0
    try screen.write(bytes, of: events)
  }
}

extension Screen {
  /// Writes what was made of some events; where it cannot, they are lost, unless the reader has gone.
  func write(_ bytes: [UInt8], of events: Int) throws {
    do { try write(bytes) } catch  where !(error is ReaderGone) { throw NotWritten(events, error) }
  }
}

/// The styles of events, where the terminal has colours.
final class ConsolePainter {
  let paint: Paint
  private let expression: Evaluation?
  private let log: NodeLog
  private var styles: [String: Style] = [:]
  private var hasComplained = false

  init(_ color: Expression?, _ context: SinkContext) {
    paint = Paint(isOn: context.screen.hasColors)
    expression = context.screen.hasColors ? color.map { context.evaluation($0) } : nil
    log = context.log
  }

  /// Plain if the expression has no output.
  ///
  /// An error is logged once, and the event is printed unstyled.
  func style(of event: Event) -> Style {
    guard let expression else { return .plain }
    do {
      guard let value = try expression.first(event), !value.isNull else { return .plain }
      guard let name = value.string else {
        complain("a style must be a string such as \"bold red\", not \(value.typeName)")
        return .plain
      }
      if let style = styles[name] { return style }
      let style = try Style(name)
      if styles.count < 100 { styles[name] = style }
      return style
    } catch let flaw as TextError {
      complain(flaw.message + (flaw.hint.map { "; \($0)" } ?? ""))
    } catch {
      complain("\(error)")
    }
    return .plain
  }

  private func complain(_ what: String) {
    if hasComplained { return }
    hasComplained = true
    log.warning("color: \(what)")
  }
}
