import Decode
import Delivery
import Fetch
import JSON
import Language

/// The option `browser` of `http`: a page as a browser shows it.
enum BrowserOptions {
  enum Banners: String, CaseIterable, Sendable { case dismiss }

  static let browser = Option(
    "browser", .groupOrTrue("browser", members),
    default: "false",
    "the page as Chromium shows it, after its scripts: `true`, or what to wait for and to do",
    example: "{ wait: { for: .item } }")

  private static let members = AnyOption.list(
    wait, actions, response, banners, block, viewport, userAgent, language, timeZone, profile, screenshot)
  private static let waits = AnyOption.list(selector, idle, time, atMost)
  private static let steps = AnyOption.list(click, fill, select, press, scroll, find, script)

  static let wait = Option.optional(
    "wait", .group("wait", waits),
    "when the page is ready (default: when it has loaded and its requests have ended)",
    example: "{ for: .item }")
  static let selector = Option.optional(
    "for", .text, "the CSS selector of what it must show", example: ".item")
  static let idle = Option(
    "idle", .boolean, default: "false", "whether its requests must have ended for half a second")
  static let time = Option("time", .duration(allowingZero: true), default: "0s", "a time to wait after that")
  static let atMost = Option(
    "at_most", .duration, default: "20s", "how long each wait of the page may take before the poll fails")

  static let actions = Option(
    "actions", .list(of: .group("action", steps)),
    default: "[]", "what to do on the page, in order", example: "[{ click: '#more' }, { wait: .item }]")
  static let click = Option.optional("click", .text, "the selector of what to click", example: "'#more'")
  static let fill = Option(
    "fill", .mapping(of: .textTemplate(with: [LastPoll.variable]).withoutShellVariables), default: "{}",
    "values for fields, by selector", example: "{ '#user': ada, '#password': '${PASSWORD}' }")
  static let select = Option(
    "select", .mapping(of: .text), default: "{}", "options to choose, by selector: a value or a label",
    example: "{ '#sort': newest }")
  static let press = Option.optional(
    "press", .text, "a key: a character, or Enter, Tab, Escape, Space, ArrowDown, PageDown, End, …",
    example: "Enter")
  static let scroll = Option.optional(
    "scroll", .text, "`end` scrolls to the end of the page as long as it grows, a number so many times",
    example: "end")
  static let find = Option.optional("wait", .text, "a selector to wait for, or a time", example: ".item")
  static let script = Option.optional(
    "script", .text, "a script to run in the page; a promise is waited for", example: "loadAll()")

  static let response = Option.optional(
    "response", .text,
    "instead of the document, the last response to the page's own requests whose address matches, `*` standing for anything",
    example: "'/api/items*'")
  static let banners = Option.optional(
    "banners", OptionType<Banners>.choice(), "`dismiss` clicks a cookie banner away, if possible by refusing",
    example: "dismiss")
  static let block = Option(
    "block", .list(of: .text), default: "[]",
    "what not to load: images, fonts, media, or patterns of addresses",
    example: "[images, '*://ads.example.org/*']")
  static let viewport = Option("viewport", .text, default: "1280x800", "the size of the window")
  static let userAgent = Option.optional(
    "user_agent", .text, "what the browser calls itself", example: "Mozilla/5.0 (X11; Linux x86_64)")
  static let language = Option.optional(
    "language", .text, "the language that pages are asked for", example: "de-DE")
  static let timeZone = Option.optional(
    "time_zone", .text, "the zone of the page's clock", example: "Europe/Berlin")
  static let profile = Option.optional(
    "profile", .path, "a folder that keeps cookies and storage from poll to poll, for this source alone",
    example: "profiles/shop")

  static let screenshot = Option.optional(
    "screenshot", .text,
    "a picture in the state folder, $meta.screenshot: `true` of the window, or a selector",
    example: "true")

  /// The names and meanings of some options, as a sentence.
  private static func listed(_ options: [AnyOption]) -> String {
    options.map { "`\($0.name)`: \($0.doc)" }.joined(separator: "; ")
  }

  static let details = """
    With `browser` a page is read as Chromium shows it, so that its scripts have run: its document, or by `response` the \
    body of a request that it has made itself, often JSON, which needs no selectors. Chromium has to be installed \
    (`apt install chromium`); `browser: { command: … }` in config.yaml names another. There is one for the whole run, \
    from the first poll that needs it until a minute after the last; four pages are open at once, each with cookies and \
    storage of its own, which go with it unless there is a `profile`. Its sandbox is on; as root it runs only \
    with `browser: { sandbox: off }` in config.yaml.

    The members of `browser` are \(listed(members)).

    Those of `wait` are \(listed(waits)).

    An action is one of \(listed(steps)).

    A page is one call of the budget, whatever it loads. It fails as a plain request does, by the status of its \
    document, and where it crashes, is not loaded or does not show in time what `wait` and `actions` ask for. \
    What is loaded around the page goes through flow: it reaches no address of this machine or its network, unless the page's own \
    address is one. Downloads, dialogs, popups and permissions are refused. A picture is kept where an event of its poll has come to a sink, \
    with the one before it: of a source the last 100, at most 64 MiB; of others the last ten of a page. Where a page fails that has `screenshot`, the error names a picture of it. `https_proxy` and the like are not used. \
    Under --sky the address is asked without a browser.
    """

  /// Reports an option of which a browser makes no use.
  static func refuse<Value>(
    _ option: Option<Value>, _ options: Options, _ checker: Checker, _ hint: String? = nil
  ) {
    guard options[browser] != nil, options.isGiven(option) else { return }
    checker.report("\(option.name) has no effect with browser", at: options.place(of: option), hint: hint)
  }

  /// Reports options that a browser has no use for, and values that are wrong.
  static func check(_ options: Options, _ checker: Checker) {
    guard let given = options[browser] else { return }
    let login = "log in by actions, or keep a profile"
    refuse(WebOptions.bearer, options, checker, login)
    refuse(WebOptions.basic, options, checker, login)
    refuse(WebOptions.allowHosts, options, checker)
    if given[response] == nil, !options.isGiven(Decoding.option) {
      checker.report(
        "a browser gives the page as HTML, not as JSON", at: options.place(of: browser),
        hint: "add decode: { html: { select: .item } }, or response: '/api/*' for JSON that the page requests"
      )
    }
    for action in given[actions] { checkAction(action, checker) }
    for text in given[block]
    where PageOrder.Kind(rawValue: text) == nil && !text.hasPrefix("/") && !text.hasPrefix("*") {
      if text.place(of: "://") == nil {
        let near = nearest(to: text, among: PageOrder.Kind.allCases.map(\.rawValue))
        checker.report(
          "\(quoted(text)) is neither images, fonts or media nor a pattern of addresses",
          at: given.place(of: block),
          hint: near.map { "did you mean \($0)?" } ?? "for example '*://ads.example.org/*'")
      }
    }
    if size(given[viewport]) == nil {
      checker.report(
        "\(quoted(given[viewport])) is no size of a window", at: given.place(of: viewport),
        hint: "as in 1280x800")
    }
  }

  private static func checkAction(_ action: Options, _ checker: Checker) {
    let isGiven = [
      action.isGiven(click), action.isGiven(fill), action.isGiven(select), action.isGiven(press),
      action.isGiven(scroll), action.isGiven(find), action.isGiven(script),
    ]
    if isGiven.count(where: \.self) != 1 {
      checker.report("an action is one thing to do", at: action.place, hint: "for example - click: '#more'")
    }
    if let key = action[press], key.count != 1, !PageOrder.Action.keys.contains(key) {
      checker.report(
        "\(quoted(key)) is no key", at: action.place(of: press),
        hint: nearest(to: key, among: PageOrder.Action.keys).map { "did you mean \($0)?" })
    }
    if let text = action[scroll], text != "end", Int(text).map({ $0 < 1 }) ?? true {
      checker.report("scroll is end, or how many times", at: action.place(of: scroll))
    }
  }

  /// The size that `1280x800` names.
  static func size(_ text: String) -> (width: Int, height: Int)? {
    let parts = text.split(separator: "x").compactMap { Int($0) }
    guard parts.count == 2, parts.allSatisfy({ 100...10_000 ~= $0 }) else { return nil }
    return (parts[0], parts[1])
  }
}
