import Language
import System

/// A builder of HTML that escapes by construction.
///
///     var html = HTML()
///     html.tag("p", .class("sub")) { $0.text("a < b") }    // <p class="sub">a &lt; b</p>
///
/// Names of elements are literals of the source, values are always text, and an address enters only as a `Link`. So
/// nothing that a feed contains can become markup.
package struct HTML: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package var string: String { String(decoding: bytes, as: UTF8.self) }

  /// The declaration that a document begins with.
  package mutating func doctype() { raw("<!doctype html>\n") }

  /// The root element of an Atom feed, which escapes as HTML does.
  package mutating func feed(content: (inout HTML) -> Void) {
    raw("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">")
    content(&self)
    raw("</feed>\n")
  }

  package mutating func text(_ text: String) { appendMarkup(text, to: &bytes) }

  /// Text where there is some; numbers and the like.
  package mutating func text(_ number: Int) { appendMarkup(String(number), to: &bytes) }

  package mutating func tag(
    _ name: StaticString, _ attributes: Attribute?..., content: (inout HTML) -> Void = { _ in }
  ) {
    open(name, attributes)
    content(&self)
    raw("</")
    raw(name)
    raw(">")
  }

  /// An element that has no content, such as `img`.
  package mutating func void(_ name: StaticString, _ attributes: Attribute?...) { open(name, attributes) }

  package mutating func append(_ other: HTML) { bytes += other.bytes }

  /// The parts before a place in it and behind.
  func split(at place: Int) -> (HTML, HTML) {
    var parts = (HTML(), HTML())
    parts.0.bytes = Array(bytes[..<place])
    parts.1.bytes = Array(bytes[place...])
    return parts
  }

  /// A drawing, which escapes its own text.
  package mutating func append(_ figure: DiagramSVG.Figure) { bytes += figure.svg.utf8 }

  private mutating func open(_ name: StaticString, _ attributes: [Attribute?]) {
    raw("<")
    raw(name)
    for case let attribute? in attributes {
      raw(" ")
      raw(attribute.name)
      guard let value = attribute.value else { continue }
      raw("=\"")
      appendMarkup(value, to: &bytes)
      raw("\"")
    }
    raw(">")
  }

  private mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

}

/// An attribute of an element.
package struct Attribute: Sendable {
  fileprivate let name: StaticString
  fileprivate let value: String?

  private init(_ name: StaticString, _ value: String?) {
    self.name = name
    self.value = value
  }

  /// The attributes whose value is text.
  ///
  /// Those whose value is an address or a script are not among them.
  package enum Name: String, Sendable {
    case id, title, alt, role, lang, name, value, type, method, content, charset, width, height, loading,
      decoding
    case datetime, placeholder, scope, tabindex, colspan, media
    case `class`, `for`, rel
    case ariaLabel, ariaCurrent, ariaLive, ariaHidden, ariaLabelledby, ariaSort
    case viewBox, preserveAspectRatio, d

    fileprivate var spelling: StaticString {
      switch self {
      case .id: "id"
      case .title: "title"
      case .alt: "alt"
      case .role: "role"
      case .lang: "lang"
      case .name: "name"
      case .value: "value"
      case .type: "type"
      case .method: "method"
      case .content: "content"
      case .charset: "charset"
      case .width: "width"
      case .height: "height"
      case .loading: "loading"
      case .decoding: "decoding"
      case .datetime: "datetime"
      case .placeholder: "placeholder"
      case .scope: "scope"
      case .tabindex: "tabindex"
      case .colspan: "colspan"
      case .media: "media"
      case .class: "class"
      case .for: "for"
      case .rel: "rel"
      case .ariaLabel: "aria-label"
      case .ariaCurrent: "aria-current"
      case .ariaLive: "aria-live"
      case .ariaHidden: "aria-hidden"
      case .ariaLabelledby: "aria-labelledby"
      case .ariaSort: "aria-sort"
      case .viewBox: "viewBox"
      case .preserveAspectRatio: "preserveAspectRatio"
      case .d: "d"
      }
    }
  }

  package static func set(_ name: Name, _ value: String) -> Attribute { Attribute(name.spelling, value) }
  package static func `class`(_ value: String) -> Attribute { Attribute("class", value) }
  package static func id(_ value: String) -> Attribute { Attribute("id", value) }
  package static func href(_ link: Link) -> Attribute { Attribute("href", link.text) }
  package static func src(_ link: Link) -> Attribute { Attribute("src", link.text) }
  package static func action(_ link: Link) -> Attribute { Attribute("action", link.text) }

  // What the script reads.
  package static func stream(_ link: Link) -> Attribute { Attribute("data-stream", link.text) }
  package static func commit(_ text: String) -> Attribute { Attribute("data-commit", text) }
  package static func rowCommit(_ number: Int) -> Attribute { Attribute("data-c", String(number)) }
  package static func until(_ time: String) -> Attribute { Attribute("data-until", time) }
  package static func by(_ unit: String) -> Attribute { Attribute("data-by", unit) }
  package static func age(_ time: String) -> Attribute { Attribute("data-age", time) }
  package static func now(_ time: String) -> Attribute { Attribute("data-now", time) }
  package static func speed(_ factor: Double) -> Attribute { Attribute("data-speed", String(factor)) }

  package static let selected = Attribute("selected", nil)
  package static let hidden = Attribute("hidden", nil)
}
