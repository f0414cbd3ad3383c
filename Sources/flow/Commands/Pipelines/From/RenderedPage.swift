import Browser
import Decode
import Fetch
import JSON
import Language
import Markup
import Reactive
import System

/// A page as Chromium has shown it, and what a pipeline could read of it: the JSON that it has requested, and what is
/// repeated in it.
struct RenderedPage: Sendable {
  /// Something to read, and how.
  struct Offer {
    /// The options of `http` beside the address.
    var options: [(name: String, yaml: String)]
    var map: String?
    var value: Value
    /// A description, for a person.
    var text: String
    /// The share of its rows that the page shows.
    var shown = 0.0
  }

  let survey: PageSurvey
  let tree: MarkupTree
  let outline: PageOutline
  private let profile: String?

  init(_ new: NewRequest, named name: String, by browser: BrowserTransport) throws {
    profile = new.profile
    var order = PageOrder(source: name)
    order.profile = new.profile
    (order.keepsData, order.dismissesBanners) = (true, true)
    survey = try browser.survey(new.request.address, order)
    if survey.status >= 400 { throw Sentence("answered \(survey.status)") }
    guard survey.type.has("html") else {
      throw Sentence("it is \(printable(survey.type)), and no page: flow new --from is for that")
    }
    tree = try survey.document.withUnsafeBufferPointer { bytes in
      Result { () throws(TextFlaw) in try MarkupTree.html(bytes, charset: "UTF-8") }
    }.get()
    if let flaw = FoundPage.flaw(title: try Selector("title").matches(in: tree.document).first?.visibleText())
    {
      throw Sentence(flaw)
    }
    outline = PageOutline(tree, mark: survey.mark, areas: survey.areas)
  }

  /// A browser by the settings of config.yaml; throws where there is none, as a sentence about what to install.
  static func browser() throws(Sentence) -> BrowserTransport {
    let config = ConfigFile(beside: "./pipeline.yaml", named: nil, PlaceholderValues(isForRun: false))
    let settings = try BrowserSettings(config.value, folder: Terminal.environment("TMPDIR") ?? "/tmp")
    try settings.program()
    return BrowserTransport(over: NoTransport(), settings)
  }

  /// The rows of its document.
  func rows(_ decode: String, of document: [UInt8]? = nil) throws -> [Value] {
    var decoding = try FoundFormat.decoding(decode)
    let address = survey.address
    decoding.resolve = { link in try? address.resolving(link) }
    decoding.charset = "UTF-8"
    return try decoding.values(of: document ?? survey.document)
  }

  /// The height of its picture.
  var height: Int { min(survey.height, PageSurvey.mostHeight) }

  /// The option `browser` for rows of the document.
  func option(waitingFor selector: String) -> (name: String, yaml: String) {
    option(["wait: { for: \(FlowYAML.quoted(selector)) }"] + (survey.hasBanner ? ["banners: dismiss"] : []))
  }

  private func option(_ members: [String]) -> (name: String, yaml: String) {
    let kept = profile.map { ["profile: \(FlowYAML.quoted($0))"] } ?? []
    return ("browser", "{ \((members + kept).joined(separator: ", ")) }")
  }

  // MARK: - Offers

  /// The lists that could be read, the best first: rows of JSON that the page shows, what is repeated in it, other JSON.
  var offers: [Offer] {
    let data = data.sorted { $0.shown > $1.shown }
    return data.filter { $0.shown >= 0.5 } + elements + data.filter { $0.shown < 0.5 }
  }

  var data: [Offer] {
    let text = tree.document.visibleText()
    // Of requests with one pattern the last is read.
    let patterns = survey.data.map { Self.pattern(of: $0.address) }
    return zip(patterns, survey.data).enumerated().compactMap { place, found in
      let (pattern, data) = found
      guard !patterns[(place + 1)...].contains(pattern), let value = try? Value.parse(data.body, .strict),
        let place = ResponseRows(in: value),
        let rows = try? Program(place.expression).outputs(value), rows.count > 1, rows[0].kind == .object
      else { return nil }
      let some = rows.prefix(50)
      let seen = some.count { row in Self.texts(of: row, 2).contains { text.has($0) } }
      let keys = rows[0].keys.map(\.name)
      let names = keys.prefix(8).joined(separator: ", ") + (keys.count > 8 ? ", …" : "")
      return Offer(
        options: [option(["response: \(FlowYAML.quoted(pattern))"])], value: value,
        text:
          "JSON of \(printable(data.address)): \(rows.count) rows, \(place.expression), with \(printable(names))",
        shown: Double(seen) / Double(some.count))
    }
  }

  /// The texts in a row that are long enough to be found in a page by no accident.
  private static func texts(of value: Value, _ depth: Int) -> [String] {
    if let text = value.string { return text.count > 3 && !text.hasPrefix("http") ? [text] : [] }
    return depth == 0
      ? [] : value.keys.flatMap { key in value.member(key).map { texts(of: $0, depth - 1) } ?? [] }
  }

  /// The path of an address, without what changes from one version of the page to the next.
  private static func pattern(of address: String) -> String {
    let path = (try? Address(address))?.path ?? address
    let steps = path.split(separator: "/", omittingEmptySubsequences: false).map { step in
      let isHash = step.count >= 12 && step.contains(where: \.isNumber) && !step.contains(".")
      return isHash ? "*" : String(step)
    }
    return steps.joined(separator: "/") + (address.contains("?") ? "*" : "")
  }

  private var elements: [Offer] {
    let kinds = outline.kinds(atMost: 3)
    var offers = kinds.compactMap {
      offer($0.selector, outline.parts(of: $0).prefix(8).map { FoundField($0) })
    }
    // Headings name the columns of a table.
    if kinds.first?.selector.hasSuffix("tr:has(td)") == true, let tables = try? rows(FoundRows.tables),
      let table = FoundRows.table(among: tables), let rows = try? rows(table)
    {
      offers[0].options = [option(waitingFor: "table"), ("decode", table)]
      (offers[0].value, offers[0].map) = (.array(rows), nil)
    }
    return offers
  }

  private func offer(_ selector: String, _ fields: [FoundField]) -> Offer? {
    let decode = FoundField.decode(selector, fields)
    guard let rows = try? rows(decode), !rows.isEmpty else { return nil }
    let names = fields.map(\.name).joined(separator: ", ")
    let map = FoundField.map(fields, of: rows)
    return Offer(
      options: [option(waitingFor: selector), ("decode", decode)], map: map,
      value: .array(Self.mapped(rows, by: map)),
      text: "elements \(selector): \(rows.count) rows\(names.isEmpty ? "" : ", with \(names)")")
  }

  /// The rows as the step `map` makes them.
  static func mapped(_ rows: [Value], by map: String?) -> [Value] {
    guard let program = map.flatMap({ try? Program($0) }) else { return rows }
    return rows.flatMap { (try? program.outputs($0)) ?? [] }
  }
}

/// The transport below the browser of a command that shows pages alone.
private struct NoTransport: Transport {
  func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
  ) -> Subscription {
    completion(.failure(TransferError(.failed, "not a page")))
    return Subscription()
  }
}
