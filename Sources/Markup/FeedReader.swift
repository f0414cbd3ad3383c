// Feeds in one shape: RSS 0.9x and 2.0, RSS 1.0, Atom 0.3 and 1.0 and JSON Feed, with the elements of Dublin Core,
// content, media and iTunes in place of missing ones.

import CGumbo
import CXML2
import JSON
import System

/// The entries of a feed.
public enum FeedReader {
  /// The entries of a text, each an object of the same members.
  ///
  /// - Parameters:
  ///   - charset: An encoding that counts more than the declared one.
  ///   - resolve: The absolute address of a link; nil for one that cannot be resolved.
  public static func entries(
    of text: ByteView, charset: String? = nil, limits: MarkupLimits = MarkupLimits(),
    resolve: @escaping (String) -> String? = { $0 }
  ) throws(TextFlaw) -> [Value] {
    if charset == nil, let text = MarkupTree.utf8(ofWide: text) {
      return try text.withUnsafeBufferPointer { text in
        Result { () throws(TextFlaw) in
          try entries(of: text, charset: "UTF-8", limits: limits, resolve: resolve)
        }
      }.get()
    }
    let start = text.drop { [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].contains($0) }
    if start.first == 0x7b { return try JSONFeed(text, resolve).entries }
    let tree = try MarkupTree.xml(ByteView(rebasing: start), charset: charset, limits: limits)
    guard let root = tree.document.children.first else { return [] }
    switch root.name {
    case "rss", "RDF":
      // An RSS 1.0 feed has its items beside the channel.
      let channel = root.children.first { $0.name == "channel" }
      let items =
        root.children.filter { $0.name == "item" } + (channel?.children.filter { $0.name == "item" } ?? [])
      var title: String?
      if let channel { title = try EntryReader(channel, resolve).title() }
      return try items.map { (item) throws(TextFlaw) in try EntryReader(item, resolve).rss(feed: title) }
    case "feed":
      let title = try EntryReader(root, resolve).construct("title")
      return try root.children.filter { $0.name == "entry" }.map { (entry) throws(TextFlaw) in
        try EntryReader(entry, resolve).atom(feed: title)
      }
    default:
      throw TextFlaw("the document is “\(root.name.prefix(40))”, which is no feed: RSS, Atom or JSON Feed")
    }
  }
}

/// An entry in the one shape.
struct FeedEntry {
  var id: String?
  var title: String?
  var link: String?
  var published: String?
  var updated: String?
  var author: String?
  var summary: String?
  var content: String?
  var categories: [String] = []
  private var enclosures: [Value] = []
  /// The addresses of the enclosures.
  private var enclosed: Set<String> = []
  var feed: String?

  private static let shape = Shape(
    [
      "id", "title", "link", "published", "updated", "author", "summary", "content", "categories",
      "enclosures", "feed",
    ].map { Key($0) }, isShared: true)

  var value: Value {
    func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
    return .object(
      Self.shape,
      [
        .string(id ?? link ?? generatedID), text(title), text(link), text(published), text(updated),
        text(author),
        text(summary), text(content), .array(categories.map { .string($0) }), .array(enclosures), text(feed),
      ])
  }

  /// An id for an entry without one and without a link: the same for the same title, date and text.
  private var generatedID: String {
    var hash = StableHash()
    for part in [title, published, summary, content] {
      hash.add((part ?? "").utf8)
      hash.add(CollectionOfOne(0xff))
    }
    return "generated:" + String(hash.value, radix: 16)
  }

  /// Adds an enclosure, unless there is one of its address.
  mutating func enclose(_ url: String, _ type: String?, _ length: String?) {
    guard enclosed.insert(url).inserted else { return }
    var object = Value.emptyObject
    object.setMember("url", .string(url))
    object.setMember("type", type.map { .string($0) } ?? .null)
    object.setMember("length", length.flatMap { Int($0) }.map { .number(Double($0)) } ?? .null)
    enclosures.append(object)
  }
}

/// A reader of one entry of an XML feed.
private struct EntryReader {
  private static let content = "http://purl.org/rss/1.0/modules/content/"
  private static let core = ["http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/"]
  private static let itunes = "http://www.itunes.com/dtds/podcast-1.0.dtd"
  private static let media = "http://search.yahoo.com/mrss"

  private enum Space { case plain, core, content, itunes, media, other }

  private let element: MarkupElement
  private let resolve: (String) -> String?
  private let children: [(space: Space, element: MarkupElement)]

  init(_ element: MarkupElement, _ resolve: @escaping (String) -> String?) {
    self.element = element
    self.resolve = resolve
    let own = element.namespace
    children = element.children.map { child in
      let name = child.namespace
      let space: Space =
        if name == own || name.isEmpty || name.has("atom") || name.has("Atom")
          || name.has("rss/1.0/")
            && name != Self.content
        {
          .plain
        } else if Self.core.contains(name) {
          .core
        } else if name == Self.content {
          .content
        } else if name.lowercased() == Self.itunes {
          .itunes
        } else if name.hasPrefix(Self.media) {
          .media
        } else {
          .other
        }
      return (space, child)
    }
  }

  private func first(_ name: String, _ space: Space = .plain) -> MarkupElement? {
    children.first { $0.space == space && $0.element.name == name }?.element
  }

  private func all(_ name: String, _ space: Space = .plain) -> [MarkupElement] {
    children.filter { $0.space == space && $0.element.name == name }.map(\.element)
  }

  /// The text of an element; nil without one.
  func text(_ name: String, core: String? = nil) -> String? {
    text(name, .plain) ?? core.flatMap { text($0, .core) }
  }

  private func text(_ name: String, _ space: Space) -> String? {
    first(name, space).map { trimmed($0.rawText) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func date(_ names: [(String, Space)]) -> String? {
    names.lazy.compactMap { name, space in self.text(name, space).flatMap { DateText.normalized($0) } }.first
  }

  private func resolved(_ link: String, at element: MarkupElement? = nil) -> String {
    var link = link
    // xml:base of the element and those above it.
    var at = element ?? self.element
    while at.index > 0 {
      if let base = at.node.attributes.first(where: { $0.name == "base" && $0.prefix == "xml" })?.value {
        link = joined(base, link)
      }
      at = MarkupElement(tree: at.tree, index: at.node.parent)
    }
    return resolve(link) ?? link
  }

  // MARK: - RSS

  func rss(feed: String?) throws(TextFlaw) -> Value {
    var entry = FeedEntry()
    entry.feed = feed
    let guid = first("guid")
    entry.title = try title()
    entry.link = ownLink ?? atomLink("alternate") ?? permanentLink(guid)
    entry.id =
      text("guid") ?? element.node.attributes.first { $0.name == "about" }?.value ?? text("id")
      ?? text("identifier", .core)
    entry.published = date([
      ("pubDate", .plain), ("published", .plain), ("date", .core), ("issued", .core), ("created", .core),
    ])
    entry.updated = date([("updated", .plain), ("modified", .core), ("lastBuildDate", .plain)])
    entry.author =
      personName("author") ?? text("author", core: "author") ?? text("creator", .core)
      ?? text("author", .itunes)
    entry.summary =
      markupText("description", .plain) ?? markupText("description", .core) ?? markupText("summary", .plain)
      ?? text("summary", .itunes) ?? text("description", .media)
    entry.content = markupText("encoded", .content) ?? body
    entry.categories = categories + all("subject", .core).map { trimmed($0.rawText) }.filter { !$0.isEmpty }
    for enclosure in all("enclosure") {
      guard let url = enclosure.attribute("url") else { continue }
      entry.enclose(resolved(url), enclosure.attribute("type"), enclosure.attribute("length"))
    }
    for media in all("content", .media)
      + all("group", .media).flatMap(\.children).filter({ $0.name == "content" })
    {
      guard let url = media.attribute("url") else { continue }
      entry.enclose(resolved(url), media.attribute("type"), media.attribute("fileSize"))
    }
    return entry.value
  }

  /// The title as plain text; in many feeds it is HTML.
  func title() throws(TextFlaw) -> String? {
    guard let text = text("title", core: "title") ?? text("title", .media) else { return nil }
    return isHTML(text) ? try plainText(text) : text
  }

  /// The text of an element, which is HTML that should be escaped, and sometimes is not.
  private func markupText(_ name: String, _ space: Space) -> String? {
    guard let found = first(name, space) else { return nil }
    let text = trimmed(found.children.isEmpty ? found.rawText : found.innerMarkup)
    return text.isEmpty ? nil : text
  }

  /// The content of an item as XHTML.
  private var body: String? {
    element.children.first { $0.name == "body" && $0.namespace == "http://www.w3.org/1999/xhtml" }
      .map { trimmed($0.innerMarkup) }
  }

  /// The first link that is a text, as RSS has it; those of Atom beside it are empty.
  private var ownLink: String? {
    all("link").lazy.compactMap { link in
      let text = trimmed(link.rawText)
      return text.isEmpty ? nil : resolved(text, at: link)
    }.first
  }

  private func permanentLink(_ guid: MarkupElement?) -> String? {
    guard let guid, guid.attribute("isPermaLink") != "false" else { return nil }
    let text = trimmed(guid.rawText)
    return text.has("://") ? text : nil
  }

  private var categories: [String] {
    all("category").compactMap { category in
      let name = category.attribute("term") ?? category.attribute("label") ?? trimmed(category.rawText)
      return name.isEmpty ? nil : name
    }
  }

  // MARK: - Atom

  func atom(feed: String?) throws(TextFlaw) -> Value {
    var entry = FeedEntry()
    entry.feed = feed
    entry.id = text("id")
    entry.title = try construct("title") ?? text("title", .media)
    entry.link = atomLink("alternate") ?? atomLink("self")
    entry.published = date([("published", .plain), ("issued", .plain), ("created", .plain), ("date", .core)])
    entry.updated = date([("updated", .plain), ("modified", .plain), ("modified", .core)])
    entry.author = personName("author") ?? text("creator", .core)
    entry.summary = first("summary").flatMap(markup)
    if let content = first("content") {
      entry.content = content.attribute("src").map { resolved($0, at: content) } ?? markup(content)
    }
    entry.categories = categories + all("subject", .core).map { trimmed($0.rawText) }
    for link in all("link") where link.attribute("rel") == "enclosure" {
      guard let url = link.attribute("href") else { continue }
      entry.enclose(resolved(url, at: link), link.attribute("type"), link.attribute("length"))
    }
    return entry.value
  }

  private func personName(_ name: String) -> String? {
    guard let person = first(name) else { return nil }
    let found = person.children.first { $0.name == "name" } ?? person.children.first { $0.name == "email" }
    return found.map { trimmed($0.rawText) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func atomLink(_ relation: String) -> String? {
    let link = all("link").first { link in
      link.attribute("href") != nil && (link.attribute("rel") ?? "alternate") == relation
    }
    return link.flatMap { link in link.attribute("href").map { resolved($0, at: link) } }
  }

  /// A text that may be HTML or XHTML, as plain text.
  func construct(_ name: String) throws(TextFlaw) -> String? {
    guard let found = first(name) else { return nil }
    switch kind(found) {
    case .xhtml: return found.visibleText()
    case .html: return try plainText(found.rawText)
    case .text: return trimmed(found.rawText)
    }
  }

  /// A text that may be HTML or XHTML, as it is.
  private func markup(_ element: MarkupElement) -> String? {
    let text =
      kind(element) == .xhtml
      ? (element.children.first { $0.name == "div" } ?? element).innerMarkup : element.rawText
    let found = trimmed(text)
    return found.isEmpty ? nil : found
  }

  private enum Kind { case text, html, xhtml }

  private func kind(_ element: MarkupElement) -> Kind {
    let type = element.attribute("type") ?? "text"
    // Atom 0.3 has media types and a mode.
    if type == "xhtml" || element.attribute("mode") == "xml" || type == "application/xhtml+xml" {
      return element.children.isEmpty ? .text : .xhtml
    }
    if element.attribute("mode") == nil, !element.children.isEmpty { return .xhtml }
    return type == "html" || type == "text/html" ? .html : .text
  }

  /// The text of a piece of HTML; throws without the library that reads it.
  private func plainText(_ markup: String) throws(TextFlaw) -> String {
    guard markup.contains("<") || markup.contains("&") else { return trimmed(markup) }
    if let failure = flow_gumbo_load() { throw TextFlaw(String(cString: failure)) }
    let bytes = Array("<body>\(markup)</body>".utf8)
    let tree = bytes.withUnsafeBufferPointer { try? MarkupTree.html($0, charset: "UTF-8") }
    return tree?.document.visibleText() ?? trimmed(markup)
  }
}

/// Whether a text is HTML: with a reference to a character or an end tag, and without what HTML does not have.
private func isHTML(_ text: String) -> Bool {
  var isFound = false
  var rest = text[...]
  while let place = rest.firstIndex(where: { $0 == "&" || $0 == "<" }) {
    rest = rest[place...].dropFirst()
    let isEnd = rest.first == "/"
    let name = rest.dropFirst(isEnd ? 1 : 0).prefix {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "#")
    }
    if text[place] == "<" {
      if name.isEmpty { continue }
      if !isElement(name.lowercased()) { return false }
      isFound = isFound || isEnd
    } else if !name.isEmpty, text[name.endIndex...].first == ";" {
      if name.first != "#", flow_html_entity(String(name)) == 0 { return false }
      isFound = true
    }
  }
  return isFound
}

/// A link as the base address sees it (RFC 3986, 5.2.2); the base may be relative too.
private func joined(_ base: String, _ link: String) -> String {
  if link.has("://") || hasScheme(link) { return link }
  let scheme = base.place(of: "://")
  if link.hasPrefix("//") { return scheme.map { base[..<$0.lowerBound] + ":" + link } ?? link }
  let start = scheme.map { base[$0.upperBound...].firstIndex(of: "/") ?? base.endIndex } ?? base.startIndex
  let page = base.prefix { $0 != "#" }
  let path = page[start...].prefix { $0 != "?" }
  let target: String =
    switch link.first {
    case nil: String(page[start...])
    case "#": String(page[start...]) + link
    case "/": link
    case "?": String(path) + link
    default: String(path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? start)]) + link
    }
  guard scheme != nil else { return target }
  let end = target.firstIndex { "?#".contains($0) } ?? target.endIndex
  let rooted = (target.hasPrefix("/") ? "" : "/") + target[..<end]
  return base[..<start] + withoutDots(rooted) + target[end...]
}
