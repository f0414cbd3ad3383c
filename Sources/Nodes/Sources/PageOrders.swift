import Engine
import Fetch
import JSON
import Language
import Delivery

/// The orders for the pages of a source, made of its options for each poll.
final class PageOrders {
  private let options: Options
  private let order: PageOrder
  /// The values of the fields of each action.
  private let fields: [[(selector: String, value: Evaluation)]]

  /// Nil without a browser.
  init?(_ options: Options, _ context: SourceContext) {
    guard let options = options[BrowserOptions.browser] else { return nil }
    self.options = options
    fields = options[BrowserOptions.actions].map { action in
      action[BrowserOptions.fill].map { ($0.name, context.evaluation($0.value.expression)) }
    }
    var order = PageOrder(source: context.name)
    if let wait = options[BrowserOptions.wait] {
      order.selector = wait[BrowserOptions.selector]
      order.isIdle = wait[BrowserOptions.idle]
      order.pause = wait[BrowserOptions.time]
      order.patience = wait[BrowserOptions.atMost]
    }
    order.response = options[BrowserOptions.response]
    order.dismissesBanners = options[BrowserOptions.banners] == .dismiss
    order.blockedKinds = options[BrowserOptions.block].compactMap { PageOrder.Kind(rawValue: $0) }
    order.blockedAddresses = options[BrowserOptions.block].filter { PageOrder.Kind(rawValue: $0) == nil }
    if let size = BrowserOptions.size(options[BrowserOptions.viewport]) {
      (order.width, order.height) = (size.width, size.height)
    }
    order.userAgent = options[BrowserOptions.userAgent]
    order.language = options[BrowserOptions.language]
    order.timeZone = options[BrowserOptions.timeZone]
    order.picture = options[BrowserOptions.screenshot].map { $0 == "true" ? "" : $0 }
    order.profile = options[BrowserOptions.profile]
    self.order = order
  }

  /// The order for an event, the entry or null, after what the last poll has noted.
  func order(_ event: Event, last: Value) throws -> PageOrder {
    var order = order
    for (action, fields) in zip(options[BrowserOptions.actions], fields) {
      for field in fields {
        field.value.set(LastPoll.variable, last)
        order.actions.append(.fill(field.selector, try event.text(field.value)))
      }
      order.actions += Self.actions(action)
    }
    return order
  }

  /// The steps of an action beside filling fields.
  private static func actions(_ action: Options) -> [PageOrder.Action] {
    if let selector = action[BrowserOptions.click] { return [.click(selector)] }
    if let key = action[BrowserOptions.press] { return [.press(key)] }
    if let text = action[BrowserOptions.scroll] { return [.scroll(times: Int(text))] }
    if let text = action[BrowserOptions.script] { return [.script(text)] }
    if let text = action[BrowserOptions.find] {
      if let time = try? DurationText.parse(text) { return [.pause(time)] }
      return [.find(text)]
    }
    return action[BrowserOptions.select].map { .select($0.name, $0.value) }
  }
}
