import Expectations
import JSON
import Testing
import System

@testable import Markup

@Suite struct FeedReaderTests {
  private func entries(_ text: String) throws -> [Value] {
    try Array(text.utf8).withUnsafeBufferPointer { text in
      try FeedReader.entries(of: text) { $0.hasPrefix("/") ? "http://h" + $0 : $0 }
    }
  }

  /// The members of the only entry that are not null or empty.
  private func entry(_ text: String) throws -> [String: String] {
    let all = try entries(text)
    expect(all.count, equals: 1)
    var found: [String: String] = [:]
    all.first?.forEachMember { name, value in
      let shown = value.string ?? value.description
      if !value.isNull, shown != "[]" { found[name.string ?? ""] = shown }
    }
    return found
  }

  @Test("the link of an RSS item is its own, wherever those of Atom are", arguments: [true, false])
  func linkBesideAtom(_ isFirst: Bool) throws {
    let atom = #"<atom:link href="http://o" rel="standout"/><atom:link href="http://a" rel="alternate"/>"#
    let own = "<link>http://a/#1</link>"
    let found = try entry(
      """
      <rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><item>\(isFirst ? atom + own : own + atom)</item></channel></rss>
      """)
    expect(found, equals: ["id": "http://a/#1", "link": "http://a/#1"])
  }

  @Test("RSS 2.0, with its own elements and those of others")
  func rss() throws {
    let plain = try entry(
      """
      <rss version="2.0"><channel><title>F</title><item><title>T &amp; U</title><link>/1</link>
      <description>&lt;b&gt;x&lt;/b&gt;</description><author>a@example.org</author><category>c1</category><category>c2</category>
      <enclosure url="/e.mp3" type="audio/mpeg" length="12"/><guid isPermaLink="false">g</guid>
      <pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate></item></channel></rss>
      """)
    expect(
      plain,
      equals: [
        "id": "g", "title": "T & U", "link": "http://h/1", "summary": "<b>x</b>", "author": "a@example.org",
        "categories": #"["c1","c2"]"#, "published": "2004-01-01T19:48:21Z", "feed": "F",
        "enclosures": #"[{"url":"http://h/e.mp3","type":"audio/mpeg","length":12}]"#,
      ])
    let extended = try entry(
      """
      <rss xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
        xmlns:atom="http://www.w3.org/2005/Atom"><channel><item>
      <guid>http://h/2</guid><dc:title>T</dc:title><dc:creator>me</dc:creator><dc:date>2026-01-01</dc:date>
      <content:encoded><![CDATA[<p>x]]></content:encoded><description><p>a<br/></p></description><dc:subject>s</dc:subject></item></channel></rss>
      """)
    expect(
      extended,
      equals: [
        "id": "http://h/2", "title": "T", "link": "http://h/2", "author": "me", "content": "<p>x",
        "summary": "<p>a<br /></p>",
        "published": "2026-01-01T00:00:00Z", "categories": #"["s"]"#,
      ])
  }

  @Test(
    "an RSS title that is HTML is plain text, any other stays as it is",
    arguments: [
      ("AT&amp;amp;T", "AT&T"), ("It&amp;#8217;s", "It’s"), ("worth &amp;#163;300m", "worth £300m"),
      ("&amp;#x0024;4300 1930ft&lt;sup&gt;2&lt;/sup&gt;", "$4300 1930ft2"),
      ("<![CDATA[<span class='webrupee'>₹</span>4,000]]>", "₹4,000"), ("a&amp;nbsp;b &amp;lt; c", "a b < c"),
      ("Use &lt;div&gt; well", "Use <div> well"), ("a &lt; b &amp;&amp; c", "a < b && c"),
      ("vector&lt;int&gt; &amp;amp; co", "vector<int> &amp; co"), ("R&amp;D", "R&D"),
      ("&amp;nosuch; x", "&nosuch; x"),
    ])
  func titles(_ written: String, _ plain: String) throws {
    let title = "<title>\(written)</title>"
    let found = try entry("<rss><channel>\(title)<item>\(title)<guid>1</guid></item></channel></rss>")
    expect(found, equals: ["id": "1", "title": plain, "feed": plain])
  }

  @Test(
    "links stand in relation to xml:base, which may be relative too",
    arguments: [
      ("http://b/x/", "1", "http://b/x/1"), ("http://b/x/feed.xml", "?p=5", "http://b/x/feed.xml?p=5"),
      ("http://b/x/y", "../up", "http://b/up"), ("http://b/x?q=/", "./y", "http://b/y"),
      ("http://b", "y", "http://b/y"),
      ("http://b/x?q#f", "#g", "http://b/x?q#g"), ("http://b/x#f", "", "http://b/x"),
      ("http://b/x", "mailto:m", "mailto:m"),
      ("posts/post-1", "posts/post-2", "posts/posts/post-2"), ("post-1", "post-2", "post-2"),
      ("p/", "?q", "p/?q"),
      ("http://b/x", "//c/y", "http://c/y"), ("http://b/x", "/z/./y", "http://b/z/y"),
    ])
  func bases(_ base: String, _ link: String, _ resolved: String) throws {
    let text = "<feed><entry xml:base='\(base)'><id>1</id><link href='\(link)'/></entry></feed>"
    try expect(entry(text), equals: ["id": "1", "link": resolved])
  }

  @Test("an author with elements is the name, and an enclosure that is given twice is one")
  func others() throws {
    let found = try entry(
      """
      <rss xmlns:a10="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><channel><item><guid>1</guid>
      <a10:author><a10:name>N</a10:name><a10:email>n@h</a10:email><a10:title>T</a10:title></a10:author>
      <enclosure url="/e.mp3" type="audio/mpeg" length="12"/><media:content url="/e.mp3"/></item></channel></rss>
      """)
    expect(
      found,
      equals: [
        "id": "1", "author": "N",
        "enclosures": #"[{"url":"http://h/e.mp3","type":"audio/mpeg","length":12}]"#,
      ])
  }

  @Test("RSS 1.0, whose items stand beside the channel")
  func rdf() throws {
    let found = try entry(
      """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
      <channel rdf:about="http://h/"><title>F</title></channel>
      <item rdf:about="http://h/1"><title>T</title><link>http://h/1</link></item></rdf:RDF>
      """)
    expect(found, equals: ["id": "http://h/1", "title": "T", "link": "http://h/1", "feed": "F"])
  }

  @Test("Atom, with texts as text, HTML and XHTML, and links by relation")
  func atom() throws {
    let found = try entry(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://b/x/"><title>F</title><entry>
      <id>tag:1</id><title type="html">A &amp;lt; &lt;b&gt;B&lt;/b&gt;</title><link rel="self" href="s"/><link href="1"/>
      <link rel="enclosure" href="e" length="5"/><updated>2026-01-01T02:00:00+02:00</updated><published>2025-12-31T10:00:00.5Z</published>
      <author><name>N</name><email>n@h</email></author><summary>S</summary>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a &lt; <b>b</b><br/></p></div></content>
      <category term="t" label="L"/></entry></feed>
      """)
    expect(
      found,
      equals: [
        "id": "tag:1", "title": "A < B", "link": "http://b/x/1", "updated": "2026-01-01T00:00:00Z",
        "published": "2025-12-31T10:00:00Z", "author": "N", "summary": "S", "categories": #"["t"]"#,
        "content": "<p>a &lt; <b>b</b><br /></p>", "feed": "F",
        "enclosures": #"[{"url":"http://b/x/e","type":null,"length":5}]"#,
      ])
  }

  @Test("JSON Feed")
  func json() throws {
    let found = try entry(
      """
      {"version":"https://jsonfeed.org/version/1.1","title":"F","items":[{"id":"1","url":"/1","title":"T",
      "content_html":"<p>","date_published":"2026-01-01T00:00:00-01:00","authors":[{"name":"N"}],"tags":["a"],
      "attachments":[{"url":"/e","mime_type":"a/b","size_in_bytes":3}]}]}
      """)
    expect(
      found,
      equals: [
        "id": "1", "title": "T", "link": "http://h/1", "content": "<p>", "published": "2026-01-01T01:00:00Z",
        "author": "N", "categories": #"["a"]"#, "feed": "F",
        "enclosures": #"[{"url":"http://h/e","type":"a/b","length":3}]"#,
      ])
  }

  @Test("an entry without an id has its link, or the same generated id each time")
  func ids() throws {
    func id(_ item: String) throws -> String {
      try entry("<rss><channel><item>\(item)</item></channel></rss>")["id"] ?? ""
    }
    try expect(id("<link>http://h/1</link>"), equals: "http://h/1")
    #expect(try id("<title>a</title>").hasPrefix("generated:"))
    try expect(id("<title>a</title>"), equals: id("<title> a</title>"))
    #expect(try id("<title>a</title>") != id("<title>b</title>"))
  }

  @Test("what is no feed, or ends early, is an error")
  func errors() {
    for text in [
      "<html><body/></html>", "<rss><channel><item>", "{}", "{\"items\": [", "",
      "<rss><channel></item></channel></rss>",
    ] {
      #expect(throws: TextFlaw.self, "\(text)") { try entries(text) }
    }
    expect((try? entries("<rss><channel/></rss>").count), equals: 0)
  }
}
