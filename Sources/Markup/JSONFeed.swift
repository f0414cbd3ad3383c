import JSON
import System

/// A JSON Feed (versions 1 and 1.1) in the shape of all feeds.
struct JSONFeed {
  private(set) var entries: [Value] = []

  init(_ text: ByteView, _ resolve: (String) -> String?) throws(TextFlaw) {
    let feed: Value
    do throws(ParseError) { feed = try Value.parse(Array(text), .strict) } catch {
      throw TextFlaw(error.message, line: error.line, column: error.column)
    }
    guard let items = feed.member("items")?.items else {
      throw TextFlaw("the object has no list “items”, so it is no JSON Feed")
    }
    let title = feed.member("title")?.string
    entries = items.map { Self.entry($0, title, resolve) }
  }

  private static func entry(_ item: Value, _ feed: String?, _ resolve: (String) -> String?) -> Value {
    func text(_ name: String) -> String? { item.member(Key(name))?.string.flatMap { $0.isEmpty ? nil : $0 } }
    func link(_ name: String) -> String? { text(name).map { resolve($0) ?? $0 } }
    var entry = FeedEntry()
    entry.feed = feed
    entry.id = text("id") ?? item.member("id")?.double.map { _ in item.member("id")?.description ?? "" }
    entry.title = text("title")
    entry.link = link("url") ?? link("external_url")
    entry.published = text("date_published").flatMap { DateText.normalized($0) }
    entry.updated = text("date_modified").flatMap { DateText.normalized($0) }
    let authors = item.member("authors")?.items ?? item.member("author").map { [$0] } ?? []
    entry.author = authors.lazy.compactMap { $0.member("name")?.string }.first
    entry.summary = text("summary")
    entry.content = text("content_html") ?? text("content_text")
    entry.categories = (item.member("tags")?.items ?? []).compactMap(\.string)
    for attachment in item.member("attachments")?.items ?? [] {
      guard let url = attachment.member("url")?.string else { continue }
      entry.enclose(
        resolve(url) ?? url, attachment.member("mime_type")?.string,
        attachment.member("size_in_bytes")?.description)
    }
    return entry.value
  }
}
