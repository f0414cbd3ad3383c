import JSON
import Language
import Markup
import System

extension TextFormat {
  /// RSS, Atom and JSON Feed.
  package static let feed: TextFormat = .init(
    Variant(
      "feed", "the entries of a feed, RSS, Atom or JSON Feed, in one shape",
      details: """
        An entry has the members `id`, `title`, `link`, `published`, `updated`, `author`, `summary`, `content`, \
        `categories`, `enclosures` (`url`, `type`, `length`) and `feed`, the title of the feed. What the feed does not \
        give is null, or an empty list. Dates are in UTC, as in 2026-01-01T00:00:00Z. An entry without an id has its link \
        as the id, and one without a link a hash of its title, date and text. Titles are plain text; summary and \
        content are as they are in the feed.

        ISO-8859-1 and ASCII are read as windows-1252, as in browsers; `charset` counts more than what the feed or the \
        server names. libxml2 reads the XML, strictly: a truncated \
        feed is an error. External entities are never loaded, and default attributes of a document type are ignored.
        """,
      options: AnyOption.list(Charset.option),
      examples: [
        .init(
          "in an encoding that the feed does not name", "{ feed: { charset: koi8-r } }",
          input: "<rss><channel><item><guid>1</guid></item></channel></rss>",
          output:
            #"{"id":"1","title":null,"link":null,"published":null,"updated":null,"author":null,"summary":null,"content":null,"categories":[],"enclosures":[],"feed":null}"#
        ),
        .init(
          "RSS", "feed",
          input: """
            <rss version="2.0"><channel><title>Releases</title>
              <item><title>1.0</title><link>https://example.org/1.0</link><guid>r1</guid>
                <pubDate>Thu, 01 Jan 2026 02:00:00 +0200</pubDate></item>
            </channel></rss>
            """,
          output:
            #"{"id":"r1","title":"1.0","link":"https://example.org/1.0","published":"2026-01-01T00:00:00Z","updated":null,"author":null,"summary":null,"content":null,"categories":[],"enclosures":[],"feed":"Releases"}"#
        ),
      ]),
    isWhole: true
  ) { input in
    WholeText(input, .feed) { text throws(TextFlaw) in
      try input.read(text) { text, charset throws(TextFlaw) in
        try FeedReader.entries(
          of: text, charset: charset, limits: input.budget.beginMarkup(), resolve: input.resolve)
      }
    }
  }

  /// XML as JSON.
  package static let xml: TextFormat = .init(
    Variant(
      "xml", "an XML document as one value, or its elements that `select` finds",
      details: """
        An element becomes a text if it has neither attributes nor elements, else an object: attributes are `@name`, \
        elements of one name are a value or, where there are several, a list, and text beside them is `#text`. \
        Comments are left out. Names keep the prefix that the document has, unless `namespaces` gives another.

        libxml2 reads the document. External entities are never loaded, entities are not expanded, and default attributes \
        of a document type are ignored. An element may have 1,000 attributes, and decoding may take 30 seconds. The \
        encoding is the one that `charset`, the server or the document names, in this order.
        """,
      options: AnyOption.list(
        MarkupOptions.select, MarkupOptions.lists, MarkupOptions.namespaces, Charset.option),
      examples: [
        .init(
          "a document", "xml", input: "<list><item n='1'>one</item><item>two</item></list>",
          output: ##"{"list":{"item":[{"@n":"1","#text":"one"},"two"]}}"##),
        .init(
          "its elements, where one tag is a list too, in an encoding that it does not declare",
          "{ xml: { select: item, lists: [tag], charset: big5 } }",
          input: "<list><item><id>1</id><tag>a</tag></item></list>", output: #"{"id":"1","tag":["a"]}"#),
        .init(
          "the prefix of a namespace", "{ xml: { select: x, namespaces: { g: 'http://example.org/g' } } }",
          input: "<r xmlns:a='http://example.org/g'><x><a:id>1</a:id></x></r>", output: #"{"g:id":"1"}"#),
      ]),
    isWhole: true
  ) { input in
    let options = input.options
    let form = XMLForm(
      select: options.flatMap { $0[MarkupOptions.select] }, lists: Set(options?[MarkupOptions.lists] ?? []),
      prefixes: Dictionary(
        (options?[MarkupOptions.namespaces] ?? []).map { ($0.value, $0.name) },
        uniquingKeysWith: { first, _ in first }))
    return WholeText(input, .xml) { text throws(TextFlaw) in
      try input.read(text) { text, charset throws(TextFlaw) in
        try form.values(of: try MarkupTree.xml(text, charset: charset, limits: input.budget.beginMarkup()))
      }
    }
  }

  /// Rows of a web page.
  package static let html: TextFormat = .init(
    Variant(
      "html", "the elements of a page that a CSS selector finds, with a member for each field",
      details: """
        `select` finds the rows; without it the page is one row. `fields` names the members of a row, each by a selector \
        below it: `h2` is the text of the first match, `a@href` an attribute of it, `@data-id` an attribute of the row \
        itself, `.` the row's own text, `.tag[]` the list of all matches, `main@text` the text with a line for each block, \
        and `.body@html` the markup within. A field without a match is null. Without `fields` a row is a text. White space counts as one space, and addresses are absolute.

        Selectors are those of CSS: names, `.class`, `#id`, `[attribute^=value]`, ` `, `>`, `+`, `~`, `,`, `:not()`, \
        `:is()`, `:has()`, `:nth-child(2n+1)` and its relatives, `:first-child`, `:last-child`, `:empty`, and \
        `:contains("text")`. Scripts do not run: a page that is filled in by a browser has nothing to find. An element may \
        have 1,000 attributes, and decoding may take 30 seconds. A page that `select` finds nothing in has no rows; if its \
        title asks to sign in, as where a session has expired, the poll fails.

        libgumbo reads the page, as browsers do. Its encoding is that of a byte order mark, of `charset`, of the server or \
        of the page's `meta`, in this order; without one it is UTF-8, or else windows-1252. What has no meaning in it \
        becomes U+FFFD, with a warning.
        """,
      options: AnyOption.list(MarkupOptions.select, MarkupOptions.fields, Charset.option),
      examples: [
        .init(
          "a table of prices",
          "{ html: { select: 'tr:has(td)', fields: { name: td, price: '.price', link: a@href } } }",
          input: "<table><tr><th>Item<tr><td><a href='/a'>A &amp; B</a><td class=price>9.50</table>",
          output: #"{"name":"A & B","price":"9.50","link":"/a"}"#),
        .init(
          "texts of elements, in an encoding that the page does not name",
          "{ html: { select: li, charset: shift_jis } }", input: "<ul><li>one<li> two  <b>!</b></ul>",
          output: "\"one\"\n\"two !\""),
        .init(
          "the text of a part, line by line", "{ html: { fields: { text: main@text } } }",
          input: "<nav>Home</nav><main><h1>Terms</h1><p>One<p>Two</main>",
          output: #"{"text":"Terms\nOne\nTwo"}"#),
        .init(
          "the text of the page", "html", input: "<title>T</title><p>One<p>Two<script>x()</script>",
          output: "\"One\\nTwo\""),
      ]),
    isWhole: true, refusesPages: false
  ) { input in
    let options = input.options
    let form = HTMLForm(
      select: options.flatMap { $0[MarkupOptions.select] },
      fields: (options?[MarkupOptions.fields] ?? []).map { ($0.name, $0.value) })
    return WholeText(input, .html) { text throws(TextFlaw) in
      let page = try MarkupTree.html(text, charset: input.charset, limits: input.budget.beginMarkup())
      input.notes.note(page.flaws)
      return try form.rows(of: page, resolve: input.resolve)
    }
  }
}

extension DecoderInput {
  /// The values that a reader makes of an XML document and the encoding that counts more than the declared one.
  fileprivate func read(
    _ text: ByteView, _ reader: (ByteView, String?) throws(TextFlaw) -> [Value]
  ) throws(TextFlaw) -> [Value] {
    guard charset == nil, let western = westernDocument(text) else { return try reader(text, charset) }
    return try western.withUnsafeBufferPointer { text in
      Result { () throws(TextFlaw) in try reader(text, "UTF-8") }
    }.get()
  }
}

private enum MarkupOptions {
  static let select = Option.optional(
    "select", parsed("selector", { (text) throws(SelectorFlaw) in try Selector(text) }),
    "a CSS selector for the elements that are the values", example: "table tr")
  static let lists = Option(
    "lists", .list(of: .text), default: "[]", "names of elements that are lists even where there is one",
    example: "[item]")
  static let namespaces = Option(
    "namespaces", .mapping(of: .text), default: "{}",
    "prefixes for namespaces, whatever the document calls them",
    example: "{ dc: 'http://purl.org/dc/elements/1.1/' }")
  static let fields = Option(
    "fields", .mapping(of: parsed("field", { (text) throws(SelectorFlaw) in try HTMLField(text) })),
    default: "{}",
    "the members of a row, each by a selector below it", example: "{ title: h2, link: a@href }")

  /// A text with a syntax of its own, whose errors have a place.
  private static func parsed<Value: Sendable>(
    _ name: String, _ parse: @escaping @Sendable (String) throws(SelectorFlaw) -> Value
  ) -> OptionType<Value> {
    OptionType<Value>(name, sample: "h2", schema: OptionType<String>.text.schema) { node, checker in
      guard let scalar = checker.resolved(node).scalar else {
        checker.report("a \(name) is expected here, not \(node.kind)", at: node.place)
        return nil
      }
      do throws(SelectorFlaw) { return try parse(scalar.text) } catch {
        let start = String(scalar.text.prefix(error.offset)).utf8.count
        let end = min(scalar.text.utf8.count, start + 1)
        checker.report(
          TextError(
            "this is no \(name): \(error.reason)", at: min(start, end)..<end,
            hint: "as in table tr, or a.more"),
          in: scalar)
        return nil
      }
    }
  }
}

/// An XML document in UTF-8 that declares ISO-8859-1 or ASCII, which are windows-1252, as in browsers; nil for any other.
func westernDocument(_ text: ByteView) -> [UInt8]? {
  // Behind a byte order mark nothing else counts.
  if [0xef, 0xfe, 0xff].contains(text.first) { return nil }
  let start = String(decoding: text.prefix(1024).map { min($0, 0x80) }, as: UTF8.self).lowercased()
  guard let end = start.place(of: "?>"), let name = value(of: "encoding", in: start[..<end.lowerBound]),
    TextConverter.isWestern(String(name))
  else { return nil }
  return name.hasSuffix("ascii") && isValidUTF8(text) ? Array(text) : TextConverter.western(text)
}

/// The value of an attribute, with or without quotes.
private func value(of attribute: String, in text: Substring) -> Substring? {
  guard let place = text.place(of: attribute) else { return nil }
  let rest = text[place.upperBound...].drop { " =\"'".contains($0) }
  return rest.prefix { !" \"'>;/?".contains($0) }
}
