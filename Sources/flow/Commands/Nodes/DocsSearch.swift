import AllNodes
import Language

/// The pages of the reference that have given words, the best first, each with a passage.
struct DocsSearch {
  struct Page {
    let name: String
    let title: String
    let passage: String
    fileprivate let score: Int
  }

  private static let mostShown = 12

  let words: [String]
  let pages: [Page]

  init(_ text: String) {
    let words = Self.plain(text).split(separator: " ").map(String.init)
    self.words = words
    let nodes = Dictionary(grouping: Catalog.all.nodes, by: \.kind)
    let texts =
      Topic.all.map { ($0.name, TopicText.lines($0, .all, width: 100)) }
      + nodes.keys.sorted().map { kind in
        (kind, (nodes[kind] ?? []).flatMap { NodeText.lines($0, width: 100) + [""] })
      }
    let found = texts.compactMap { Self.page($0.0, $0.1, words) }
    pages = words.isEmpty ? [] : found.sorted { ($1.score, $0.name) < ($0.score, $1.name) }
  }

  /// A page that has all the words; nil for others.
  private static func page(_ name: String, _ lines: [String], _ words: [String]) -> Page? {
    let passages = passages(lines)
    let lower = passages.map(plain)
    guard words.allSatisfy({ word in lower.contains { $0.place(of: " \(word)") != nil } }) else { return nil }
    func count(_ text: String) -> Int { words.count { text.place(of: " \($0)") != nil } }
    let best = lower.indices.max { (count(lower[$0]), $1) < (count(lower[$1]), $0) } ?? 0
    let whole = lower.count { count($0) == words.count }
    return Page(
      name: name, title: passages.first ?? "", passage: passages.isEmpty ? "" : passages[best],
      score: 1000 * count(plain(name)) + 100 * count(lower.first ?? "") + min(whole, 99))
  }

  /// A text in lower case, with a blank before it and for each character that is neither letter nor digit.
  private static func plain(_ text: String) -> String {
    " " + String(text.lowercased().map { $0.isLetter || $0.isNumber ? $0 : " " })
  }

  /// The paragraphs of a page, and the options of its lists.
  private static func passages(_ lines: [String]) -> [String] {
    var passages: [String] = []
    var isOpen = false
    for line in lines {
      let words = line.drop { $0 == " " }
      let indent = line.count - words.count
      if words.isEmpty || indent == 2 || !isOpen { passages.append("") }
      isOpen = !words.isEmpty
      if let last = passages.indices.last, !words.isEmpty {
        passages[last] += (passages[last].isEmpty ? "" : " ") + words
      }
    }
    return passages.filter { !$0.isEmpty }
  }

  /// The pages, each with its passage around the first of the words.
  func text(width: Int, _ paint: Paint) -> String {
    var lines: [String] = []
    for page in pages.prefix(Self.mostShown) {
      let title =
        page.title.hasPrefix(page.name) ? String(page.title.dropFirst(page.name.count)) : ": \(page.title)"
      lines.append(paint(page.name, .cyan) + title.clipped(to: width - page.name.columns))
      if page.passage != page.title { lines.append("    " + excerpt(page.passage, width: width - 4)) }
    }
    if pages.count > Self.mostShown {
      lines.append("and \(pages.count - Self.mostShown) more; name more words")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func excerpt(_ passage: String, width: Int) -> String {
    let lower = Self.plain(passage)
    let place = words.compactMap { lower.place(of: " \($0)")?.lowerBound }.min() ?? lower.startIndex
    let before = lower.distance(from: lower.startIndex, to: place)
    guard before > width / 2 else { return passage.clipped(to: width) }
    // From the beginning of a word.
    let rest = passage.dropFirst(before - width / 3).drop { $0 != " " }
    return "…" + String(rest).clipped(to: width - 1)
  }
}
