import Engine
import Fetch
import JSON
import Language
import System

/// An entry of a feed.
struct PublishedEntry: StorableValue, JSONRecord {
  /// The id that readers know it by; empty until it is needed, since most entries of a fast stream are never written.
  var id: String
  /// The key of its event, as JSON; nil where the last run has stored the entry.
  var key: EntryKey?
  var title: String
  var body: String
  var link: String
  /// In seconds since 1970.
  var updated: Double
  var tags: [String]

  func saysTheSame(as other: PublishedEntry) -> Bool {
    title == other.title && body == other.body && link == other.link && tags == other.tags
  }

  init(
    id: String = "", key: EntryKey? = nil, title: String, body: String, link: String, updated: Double,
    tags: [String]
  ) {
    (self.id, self.key, self.title, self.body) = (id, key, title, body)
    (self.link, self.updated, self.tags) = (link, updated, tags)
  }

  static let form = RecordForm<Self>(
    { Self(id: $0, title: $1, body: $2, link: $3, updated: $4, tags: $5) }, Field("id", \.id),
    Field("title", \.title), Field("body", \.body, or: ""), Field("link", \.link, or: ""),
    Field("updated", \.updated), Field("tags", \.tags, or: []))
}

/// The key of an entry, with its hash, so that it is compared with few others.
struct EntryKey: Equatable {
  private let hash: Int
  let text: [UInt8]

  init(_ value: Value) {
    text = Writer(WriteOptions(sortKeys: true)).bytes(value)
    hash = text.hashValue
  }
}

/// The text of a feed, in Atom (RFC 4287).
struct FeedText {
  let id: String
  let title: String
  let author: String
  let url: String?
  let home: String?

  /// An id that never changes, from names: a UUID of a hash (version 8, RFC 9562).
  static func id(_ names: [String]) -> String {
    let text = Value.array(names.map { .string($0) }).json
    var bytes = Array(SHA256.digest(text).prefix(16))
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].reduce(into: "urn:uuid") { id, group in
      id += (group.lowerBound == 0 ? ":" : "-") + hexDigits(of: bytes[group])
    }
  }

  /// The feed, the newest entry, which is the last one, first.
  func bytes(_ entries: [PublishedEntry]) -> [UInt8] {
    let updated = entries.map(\.updated).max() ?? 0
    var lines = [
      #"<?xml version="1.0" encoding="utf-8"?>"#, #"<feed xmlns="http://www.w3.org/2005/Atom">"#,
      "  <id>\(id)</id>", "  <title>\(markup(title))</title>", "  <updated>\(time(updated))</updated>",
      "  <author><name>\(markup(author))</name></author>", #"  <generator>flow</generator>"#,
    ]
    if let url { lines.append(#"  <link rel="self" type="application/atom+xml" href="\#(markup(url))"/>"#) }
    if let home { lines.append(#"  <link rel="alternate" href="\#(markup(home))"/>"#) }
    for entry in entries.reversed() { lines += text(entry) }
    lines += ["</feed>", ""]
    return Array(lines.joined(separator: "\n").utf8)
  }

  private func text(_ entry: PublishedEntry) -> [String] {
    var lines = [
      "  <entry>", "    <id>\(entry.id)</id>", "    <title>\(markup(entry.title))</title>",
      "    <updated>\(time(entry.updated))</updated>",
    ]
    if !entry.link.isEmpty { lines.append(#"    <link rel="alternate" href="\#(markup(entry.link))"/>"#) }
    lines += entry.tags.map { #"    <category term="\#(markup($0))"/>"# }
    // An entry without a link must have content.
    lines.append(
      "    <content type=\"text\">\(markup(entry.body.isEmpty ? entry.title : entry.body))</content>")
    return lines + ["  </entry>"]
  }

  private func time(_ seconds: Double) -> String { timestamp(min(max(0, seconds), 253_402_300_799)) }
}
