import Fetch
import JSON
import Reactive
import System

/// The actions of an order, one after the other; each waits until the page has what it is about.
struct PageActions {
  let page: PageSession
  let waiting: PageWaiting

  func run() throws(TransferError) {
    for action in page.order.actions {
      switch action {
      case .click(let selector): try click(selector)
      case .fill(let selector, let value): try obtain(PageScripts.fill(selector, value), for: selector)
      case .select(let selector, let value):
        try obtain(PageScripts.select(selector, value), for: "the option of \(selector)")
      case .press(let key): try press(key)
      case .scroll(let times): try scroll(times)
      case .find(let selector): try obtain(PageScripts.exists(selector), for: selector)
      case .pause(let time): try waiting.rest(time)
      case .script(let text): _ = try page.evaluate(text, inPage: true, until: waiting.deadline)
      }
      page.disturb()
    }
  }

  /// Evaluates an expression until it gives something.
  @discardableResult
  private func obtain(_ expression: String, for what: String) throws(TransferError) -> Value {
    let deadline = waiting.deadline
    var found = Value.null
    try waiting.wait(for: what, until: deadline) { () throws(TransferError) in
      found = try waiting.evaluate(expression, until: deadline)
      return found.isTruthy
    }
    return found
  }

  private func click(_ selector: String) throws(TransferError) {
    let place = try obtain(PageScripts.click(selector), for: selector)
    guard let x = place.member("x"), let y = place.member("y") else { return }
    for type in ["mouseMoved", "mousePressed", "mouseReleased"] {
      try page.call(
        "Input.dispatchMouseEvent",
        [
          ("type", .string(type)), ("x", x), ("y", y), ("button", .string("left")),
          ("clickCount", .number(1)),
        ],
        until: waiting.deadline)
    }
  }

  /// The codes of the keys that have a name, and the text of those that write.
  static let keys: [String: (code: Int, text: String?)] = [
    "Enter": (13, "\r"), "Tab": (9, nil), "Escape": (27, nil), "Space": (32, " "), "Backspace": (8, nil),
    "Delete": (46, nil), "ArrowLeft": (37, nil), "ArrowUp": (38, nil), "ArrowRight": (39, nil),
    "ArrowDown": (40, nil), "PageUp": (33, nil), "PageDown": (34, nil), "Home": (36, nil), "End": (35, nil),
  ]

  private func press(_ name: String) throws(TransferError) {
    let key = Self.keys[name] ?? (Int(name.uppercased().unicodeScalars.first?.value ?? 0), name)
    let common: [(String, Value)] = [
      ("key", .string(name == "Space" ? " " : name)), ("code", .string(name)),
      ("windowsVirtualKeyCode", .number(key.code)),
    ]
    let text: [(String, Value)] = key.text.map { [("text", .string($0))] } ?? []
    let type: Value = key.text == nil ? .string("rawKeyDown") : .string("keyDown")
    try page.call("Input.dispatchKeyEvent", [("type", type)] + common + text, until: waiting.deadline)
    try page.call("Input.dispatchKeyEvent", [("type", .string("keyUp"))] + common, until: waiting.deadline)
  }

  /// Scrolls to the end, again while the page grows.
  private func scroll(_ times: Int?) throws(TransferError) {
    let deadline = waiting.deadline
    var (height, count) = (-1.0, 0)
    while count < times ?? .max {
      let start = MonotonicClock.now
      var new = height
      page.disturb()
      // Until there is more, or nothing comes any more.
      repeat {
        try waiting.rest(.milliseconds(100))
        new = max(new, try page.evaluate(PageScripts.scroll, until: deadline).double ?? 0)
        if MonotonicClock.now >= deadline {
          throw TransferError(
            .failed,
            "scrolled for \(spoken(page.order.patience)), and the page still grows; scroll: 10 stops after ten times"
          )
        }
      } while new <= height && !(waiting.isAtRest && MonotonicClock.now - start >= PageWaiting.restTime)
      if new <= height { return }
      (height, count) = (new, count + 1)
    }
  }
}
