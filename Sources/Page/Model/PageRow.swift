import JSON
import System

/// A row of a page: its key, and its parts as the sink has evaluated them.
package struct PageRow: Sendable {
  package let key: Value
  /// The key's fingerprint, which is its place on the page and in addresses.
  package let id: String
  /// The commit that last changed the row.
  package let commit: Int
  /// When it did, in seconds since 1970.
  package let changedAt: Double
  /// When it was last read, where the last poll should have had it and does not: since it failed, or the row could not be
  /// read; in seconds since 1970.
  package let lastRead: Double?
  /// The parts by the names of the sink's options, without those that are null.
  package let content: Value

  package init(key: Value, commit: Int, changedAt: Double = 0, lastRead: Double? = nil, content: Value) {
    self.lastRead = lastRead
    self.key = key
    id = PageRow.id(of: key)
    self.commit = commit
    self.changedAt = changedAt
    self.content = content
  }

  /// The same in every run, and for keys that are equal but written otherwise.
  package static func id(of key: Value) -> String {
    StableHash(key.canonicalBytes).digits
  }

  /// A picture of the page that the row was read from, by its member; nil where it has gone.
  func screenshot(_ name: String) -> [UInt8]? { text(name).flatMap { KeptPicture.read($0) } }

  package func text(_ name: String) -> String? {
    guard let value = content.member(name), !value.isNull else { return nil }
    let text = value.shown
    return text.isEmpty ? nil : text
  }

  package var title: String { text("title") ?? "(no title)" }
  package var subtitle: String? { text("subtitle") }
  package var picture: Link? { text("picture").flatMap { Link(web: $0) } }
  package var link: Link? { text("link").flatMap { Link(web: $0) } }
  package var map: Link? { text("map").flatMap { Link(web: $0) } }
  package var group: String? { text("group") }
  package var time: PageTime? {
    content.member("time").flatMap { PageTime($0, precision: text("precision")) }
  }
  package var status: PageStatus? { content.member("status").flatMap { PageStatus($0) } }

  /// The members of `detail` or `facets`, without those that say nothing.
  package func members(_ name: String) -> [(name: String, value: Value)] {
    var all: [(name: String, value: Value)] = []
    content.member(name)?.forEachMember { key, value in
      if !value.isNull, value.string != "" { all.append((key.string ?? "", value)) }
    }
    return all
  }

  /// The values of a facet: one, or those of a list.
  package func facet(_ name: String) -> [String] {
    guard let value = content.member("facets")?.member(name), !value.isNull else { return [] }
    return (value.items ?? [value]).map(\.shown).filter { !$0.isEmpty }
  }

  /// Whether the row contains all words of a search, which is in lower case.
  package func contains(_ words: [String]) -> Bool {
    var text = "\(title) \(subtitle ?? "") \(status?.word ?? "")"
    for part in ["facets", "detail"] {
      for (_, value) in members(part) { text += " \(value.shown)" }
    }
    text = text.lowercased()
    return words.allSatisfy { text.has($0) }
  }
}

extension Value {
  /// The value as text for people: strings as they are, anything else as JSON.
  var shown: String { isNull ? "" : string ?? description }
}

/// The status of a row: a word, with a colour and a symbol, so that colour is never the only signal.
package struct PageStatus: Sendable, Equatable {
  package enum Tone: String, CaseIterable, Sendable {
    case good, warn, bad, info, muted

    init(_ name: String) {
      self =
        switch name.lowercased() {
        case "good", "green": .good
        case "warn", "yellow", "orange": .warn
        case "bad", "red": .bad
        case "info", "blue": .info
        default: .muted
        }
    }

    var symbol: String {
      switch self {
      case .good: "✓"
      case .warn: "!"
      case .bad: "✗"
      case .info: "…"
      case .muted: "·"
      }
    }
  }

  package let word: String
  package let tone: Tone
  package let symbol: String

  /// A word alone, or `{word, color, symbol}`; nil for anything that has no word.
  package init?(_ value: Value) {
    let given = value.member("word") ?? value
    guard !given.isNull, given.members.isEmptyObject, !given.shown.isEmpty else { return nil }
    word = given.shown
    tone = Tone(value.member("color")?.string ?? "")
    let symbol = value.member("symbol")?.string ?? ""
    self.symbol = symbol.isEmpty ? tone.symbol : String(symbol.prefix(2))
  }
}

extension MemberIterator {
  /// Whether there is nothing to iterate.
  fileprivate var isEmptyObject: Bool {
    var copy = self
    return copy.next() == nil
  }
}
