import JSON
import Engine
import Language

/// Finds the style of each event, where there are colours.
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

  /// Plain where the expression gives nothing; what is wrong with it is told once, and never keeps an event back.
  func style(of event: Event) -> Style {
    guard let expression else { return .plain }
    do {
      guard let value = try expression.first(event), !value.isNull else { return .plain }
      guard let name = value.string else {
        complain("a style is a text such as \"bold red\", not \(value.typeName)")
        return .plain
      }
      if let style = styles[name] { return style }
      let style = try Style(name)
      if styles.count < 100 { styles[name] = style }
      return style
    } catch let flaw as Flaw {
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
