import JSON
import System

/// A scan of a page before libgumbo reads it, for what would cost it time without bound, and for the encoding that the
/// page names.
///
/// libgumbo compares each attribute of an element with all before it, and looks for the end of each element among those
/// that are open. The scan finds tags as the standard's tokenizer does, and takes fewer elements for open than there are
/// rather than more; the exact depth is that of the tree.
struct PageScan {
  /// The encoding that the first `meta` of the page names; nil without one.
  private(set) var encoding: EncodingLabel?

  private let text: ByteView
  /// Whether only a name of an encoding is looked for, as browsers do in the first bytes: in scripts too.
  private let isPrescan: Bool
  private let limits: MarkupLimits
  private var at = 0
  private var open: [String] = []
  /// How many of them have a name, so that one that is not open is not looked for.
  private var counts: [String: Int] = [:]
  private var hasForeign = false

  /// Scans a whole page; throws where it has too many attributes or too deep elements.
  init(_ text: ByteView, _ limits: MarkupLimits, _ watch: MarkupWatch) throws(TextFlaw) {
    (self.text, self.limits, isPrescan) = (text, limits, false)
    while let tag = nextTag() {
      try watch.check()
      if tag.attributes > limits.attributes {
        throw flaw("an element has more than \(limits.attributes) attributes", tag.start)
      }
      if encoding == nil, !tag.isEnd, tag.name == "meta" { encoding = tag.encoding }
      if tag.isEnd { close(tag.name) } else { begin(tag) }
      if open.count > limits.depth {
        throw flaw("elements are nested more than \(limits.depth) deep", tag.start)
      }
    }
  }

  /// Scans the first bytes of a page for an encoding.
  init(prescanOf text: ByteView) {
    (self.text, limits, isPrescan) = (text, MarkupLimits(), true)
    while encoding == nil, let tag = nextTag() {
      if tag.name == "meta", !tag.isEnd { encoding = tag.encoding }
    }
  }

  private func flaw(_ reason: String, _ place: Int) -> TextFlaw {
    TextFlaw(reason, line: text[..<place].reduce(1) { $0 + ($1 == 0x0a ? 1 : 0) })
  }
}

// MARK: - Tags

/// A tag of a page.
private struct PageTag {
  var name: String
  var isEnd: Bool
  var start: Int
  var attributes = 0
  var closesItself = false
  /// The attributes of a `meta`.
  var charset: String?
  var content: String?
  var isContentType = false

  /// The encoding that a `meta` names, in one of its two forms.
  var encoding: EncodingLabel? {
    if let charset { return EncodingLabel(charset)?.inPage }
    guard isContentType, let content else { return nil }
    var rest = content[...]
    while let place = rest.place(of: "charset") {
      rest = rest[place.upperBound...].drop(while: \.isWhitespace)
      guard rest.first == "=" else { continue }
      rest = rest.dropFirst().drop(while: \.isWhitespace)
      if let quote = rest.first, quote == "\"" || quote == "'" {
        let value = rest.dropFirst()
        return value.firstIndex(of: quote).flatMap { EncodingLabel(value[..<$0])?.inPage }
      }
      return EncodingLabel(rest.prefix { !$0.isWhitespace && $0 != ";" })?.inPage
    }
    return nil
  }
}

extension PageScan {
  /// The next tag, behind comments, declarations and the texts of scripts and such.
  private mutating func nextTag() -> PageTag? {
    while let start = text[at...].firstIndex(of: 0x3c) {
      at = start + 1
      if follows("!--") {
        skipComment()
      } else if isForeign, follows("![CDATA[") {
        skip(to: "]]>")
      } else if let first = next, isLetter(first) {
        return tag(from: start, isEnd: false)
      } else if next == 0x2f, at + 1 < text.count, isLetter(text[at + 1]) {
        at += 1
        return tag(from: start, isEnd: true)
      } else if let first = next, first == 0x21 || first == 0x2f || first == 0x3f {
        skip { $0 != 0x3e }
      }
    }
    at = text.count
    return nil
  }

  private var next: UInt8? { at < text.count ? text[at] : nil }

  private func follows(_ word: StaticString) -> Bool {
    text[at...].starts(with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  private mutating func skip(_ holds: (UInt8) -> Bool) { while let byte = next, holds(byte) { at += 1 } }

  /// Moves behind a mark that ends with a bracket, or to the end.
  private mutating func skip(to mark: StaticString) {
    let start = at
    while let end = text[at...].firstIndex(of: 0x3e) {
      at = end + 1
      let mark = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
      if text[start..<at].suffix(mark.count).elementsEqual(mark) { return }
    }
    at = text.count
  }

  /// Moves behind a comment, which may end at once; one that does not end goes to the end of the page.
  private mutating func skipComment() {
    at += 3
    if next == 0x3e || follows("->") { return }
    let start = at
    while let end = text[at...].firstIndex(of: 0x3e) {
      at = end + 1
      let body = text[start..<end]
      if body.suffix(2).elementsEqual([0x2d, 0x2d]) || body.suffix(3).elementsEqual([0x2d, 0x2d, 0x21]) {
        return
      }
    }
    at = text.count
  }

  /// The tag whose name begins here; nil for one that the page ends within.
  private mutating func tag(from start: Int, isEnd: Bool) -> PageTag? {
    let name = lowercased { !isBlank($0) && $0 != 0x2f && $0 != 0x3e }
    var tag = PageTag(name: name, isEnd: isEnd, start: start)
    while let byte = next, byte != 0x3e {
      if isBlank(byte) || byte == 0x2f {
        at += 1
        tag.closesItself = byte == 0x2f
        continue
      }
      tag.closesItself = false
      tag.attributes += 1
      readAttribute(of: &tag)
    }
    guard at < text.count else { return isPrescan ? nil : tag }
    at += 1
    if !isEnd, !isPrescan, !isForeign { skipText(of: name) }
    return tag
  }

  private mutating func readAttribute(of tag: inout PageTag) {
    let isMeta = tag.name == "meta" && !tag.isEnd
    let start = at
    // An attribute may begin with an equals sign.
    at += 1
    skip { !isBlank($0) && $0 != 0x2f && $0 != 0x3e && $0 != 0x3d }
    let name = isMeta ? String(decoding: text[start..<at].prefix(16), as: UTF8.self).lowercased() : ""
    let end = at
    skip(isBlank)
    guard next == 0x3d else {
      at = end
      return
    }
    at += 1
    skip(isBlank)
    var value: Slice<ByteView>
    if let quote = next, quote == 0x22 || quote == 0x27 {
      at += 1
      let start = at
      at = text[at...].firstIndex(of: quote) ?? text.count
      value = text[start..<at]
      at = min(at + 1, text.count)
    } else {
      let start = at
      skip { !isBlank($0) && $0 != 0x3e }
      value = text[start..<at]
    }
    guard isMeta else { return }
    let words = String(decoding: value.prefix(1024), as: UTF8.self).lowercased()
    switch name {
    case "charset": tag.charset = tag.charset ?? words
    case "content": tag.content = tag.content ?? words
    case "http-equiv": tag.isContentType = tag.isContentType || words == "content-type"
    default: break
    }
  }

  private mutating func lowercased(_ holds: (UInt8) -> Bool) -> String {
    let start = at
    skip(holds)
    // A name that is longer than any of HTML means nothing here.
    return String(decoding: text[start..<at].prefix(20).map { isCapital($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Moves to the end tag of an element whose text is no markup.
  private mutating func skipText(of name: String) {
    if name == "plaintext" { at = text.count }
    guard rawElements.contains(name) else { return }
    while at < text.count {
      skip { $0 != 0x3c }
      let rest = text[at...].dropFirst()
      let word = rest.dropFirst().prefix(name.utf8.count)
      if rest.first == 0x2f, word.elementsEqual(name.utf8, by: { $0 | 0x20 == $1 }),
        word.endIndex == text.count || [0x2f, 0x3e].contains(text[word.endIndex])
          || isBlank(text[word.endIndex])
      {
        return
      }
      at = min(at + 1, text.count)
    }
  }
}

// MARK: - Open elements

extension PageScan {
  /// Whether the text here is SVG or MathML, and not HTML within them.
  private var isForeign: Bool {
    hasForeign
      && open.last { foreignElements.contains($0) || integrationElements.contains($0) }.map {
        foreignElements.contains($0)
      } == true
  }

  private mutating func begin(_ tag: PageTag) {
    let name = tag.name
    if isPrescan { return }
    if isForeign {
      if tag.closesItself { return }
      if !htmlOnlyElements.contains(name) { return push(name) }
      popThrough(foreignElements, before: [])
    }
    if foreignElements.contains(name) { hasForeign = true }
    if foreignElements.contains(name), tag.closesItself { return }
    // In a list to choose from most elements are not read.
    if counts["select", default: 0] > 0, !choiceElements.contains(name) { return }
    switch name {
    case "td", "th":
      if !popAbove(rowContexts) { return }
    case "tr":
      if !popAbove(bodyContexts) { return }
    case "tbody", "thead", "tfoot", "caption", "colgroup":
      if !popAbove(tableContexts) { return }
    case "li": popThrough(["li"], before: listEnds)
    case "dd", "dt": popThrough(["dd", "dt"], before: listEnds)
    case "option", "optgroup": popThrough(["option"], before: ["select", "optgroup", "datalist"])
    case "rt", "rp", "rb", "rtc": popThrough(["rt", "rp", "rb"], before: ["ruby"])
    case "a", "nobr", "button", "select": popThrough([name], before: scopeEnds)
    default:
      if blockStarts.contains(name) { popThrough(["p"], before: scopeEnds) }
      if headings.contains(name), let last = open.last, headings.contains(last) { pop(from: open.count - 1) }
    }
    if !unopenedElements.contains(name), !rawElements.contains(name) { push(name) }
  }

  private mutating func close(_ name: String) {
    if headings.contains(name) { return popThrough(headings, before: scopeEnds) }
    popThrough([name], before: tableElements.contains(name) ? tableContexts : contentEnds)
  }

  /// Closes the innermost element of these names, and what is within, unless another of `ends` is nearer.
  private mutating func popThrough(_ names: Set<String>, before ends: Set<String>) {
    guard names.contains(where: { counts[$0, default: 0] > 0 }) else { return }
    for index in open.indices.reversed() {
      if names.contains(open[index]) { return pop(from: index) }
      if ends.contains(open[index]) { return }
    }
  }

  /// Closes what is within the innermost element of these names; false without one.
  private mutating func popAbove(_ names: Set<String>) -> Bool {
    guard let index = open.lastIndex(where: { names.contains($0) }) else { return false }
    pop(from: index + 1)
    return true
  }

  private mutating func push(_ name: String) {
    open.append(name)
    counts[name, default: 0] += 1
  }

  private mutating func pop(from index: Int) {
    for name in open[index...] { counts[name, default: 0] -= 1 }
    open.removeSubrange(index...)
  }
}

private let rawElements: Set<String> = [
  "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes",
]
private let foreignElements: Set<String> = ["svg", "math"]
private let integrationElements: Set<String> = [
  "foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext", "template",
]
/// Elements that end SVG and MathML.
private let htmlOnlyElements: Set<String> = [
  "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1",
  "h2",
  "h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre",
  "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var",
]
/// Elements without content, and those that are there once however often a page has them.
private let unopenedElements: Set<String> = [
  "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img", "input",
  "isindex",
  "keygen", "link", "menuitem", "meta", "param", "source", "track", "wbr", "html", "head", "body", "form",
  "frameset",
]
private let choiceElements: Set<String> = [
  "option", "optgroup", "select", "input", "textarea", "keygen", "script", "template", "td", "th", "tr",
  "tbody",
  "thead", "tfoot", "caption", "table",
]
/// Elements whose content closes nothing around them, and parts of tables, which close what is in their cells.
private let contentEnds: Set<String> = ["table", "template", "td", "th", "caption"]
private let tableElements: Set<String> = [
  "table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption", "colgroup",
]
private let tableContexts: Set<String> = ["table", "template"]
private let bodyContexts: Set<String> = ["table", "template", "tbody", "thead", "tfoot"]
private let rowContexts: Set<String> = ["table", "template", "tbody", "thead", "tfoot", "tr"]
private let scopeEnds: Set<String> = [
  "table", "template", "td", "th", "caption", "button", "object", "applet", "marquee",
]
private let listEnds: Set<String> = [
  "ul", "ol", "dl", "table", "template", "td", "th", "caption", "object", "applet",
]
private let headings: Set<String> = ["h1", "h2", "h3", "h4", "h5", "h6"]
/// Elements that end a paragraph.
private let blockStarts: Set<String> = [
  "address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl", "dd", "dt",
  "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
  "hgroup", "hr",
  "li", "listing", "main", "menu", "nav", "ol", "p", "plaintext", "pre", "section", "summary", "table", "ul",
  "xmp",
]

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) && byte != 0x0b }
private func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }
private func isLetter(_ byte: UInt8) -> Bool { isCapital(byte & 0xdf) }
