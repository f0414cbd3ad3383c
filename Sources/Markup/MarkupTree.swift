// The tree of an XML or HTML document: its nodes in the order of the document, so that the nodes below an element are
// the ones that follow it, up to its end.

import System

/// A document, which never changes.
public final class MarkupTree: Sendable {
  struct Attribute: Sendable {
    var name: String
    var prefix: String
    var namespace: String
    var value: String
  }

  struct Node: Sendable {
    var isElement: Bool
    /// The local name of an element.
    var name = ""
    var prefix = ""
    var namespace = ""
    /// The text of a text node.
    var text = ""
    var attributes: [Attribute] = []
    var parent: Int
    /// The index after the last node below it.
    var end = 0
    /// The place among the elements of its parent, from 1, and how many elements it has itself.
    var place = 0
    var elements = 0
    /// Whether it is within an element `template`, of which a browser shows and finds nothing.
    var isInTemplate = false
  }

  /// The first is the document itself, an element without a name.
  let nodes: [Node]
  let isHTML: Bool
  let limits: MarkupLimits
  /// The parts of a page without a meaning in its encoding.
  public let flaws: PageFlaws?

  init(_ nodes: [Node], isHTML: Bool, _ limits: MarkupLimits, flaws: PageFlaws?) {
    self.nodes = nodes
    self.isHTML = isHTML
    self.limits = limits
    self.flaws = flaws
  }

  /// The document: the element above the outermost one.
  public var document: MarkupElement { MarkupElement(tree: self, index: 0) }
}

/// An element of a document.
public struct MarkupElement: Sendable {
  let tree: MarkupTree
  let index: Int

  var node: MarkupTree.Node { tree.nodes[index] }

  /// The name without its prefix.
  var name: String { node.name }
  var namespace: String { node.namespace }

  /// The elements directly below it, in order.
  var children: [MarkupElement] {
    var found: [MarkupElement] = []
    var at = index + 1
    while at < node.end {
      if tree.nodes[at].isElement {
        found.append(MarkupElement(tree: tree, index: at))
        at = tree.nodes[at].end
      } else {
        at += 1
      }
    }
    return found
  }

  /// The indices of all elements below it, in the order of the document, but for those in templates of a page.
  var below: some Sequence<Int> {
    let tree = tree
    return (index + 1..<max(index + 1, node.end)).lazy.filter { tree.isFound($0) }
  }

  /// The value of an attribute without a prefix.
  func attribute(_ name: String) -> String? {
    node.attributes.first { $0.name == name && $0.prefix.isEmpty }?.value
  }

  /// All text below it, as it is written.
  var rawText: String {
    var text = ""
    var at = index + 1
    while at < node.end {
      if !tree.nodes[at].isElement { text += tree.nodes[at].text }
      at += 1
    }
    return text
  }
}

// MARK: - Text as it is read

extension MarkupElement {
  /// Its text as a reader sees it: white space is one space, and what no browser shows is left out.
  ///
  /// Blocks such as paragraphs and table cells are separated by `separator`.
  public func visibleText(separator: Character = " ") -> String {
    var text = ""
    var pending: Character?
    /// The ends of blocks that are open.
    var blocks: [Int] = []
    var at = index
    func separate(_ mark: Character) { if pending != separator { pending = mark } }
    while at < node.end || at == index {
      while let end = blocks.last, end <= at {
        blocks.removeLast()
        separate(separator)
      }
      let node = tree.nodes[at]
      if node.isElement {
        if hiddenElements.contains(node.name) {
          at = max(node.end, at + 1)
          continue
        }
        if blockElements.contains(node.name) {
          separate(separator)
          blocks.append(node.end)
        }
      } else {
        for character in node.text {
          if character.isWhitespace || character == "\u{a0}" {
            if pending == nil { pending = " " }
            continue
          }
          if let mark = pending, !text.isEmpty { text.append(mark) }
          pending = nil
          text.append(character)
        }
      }
      at += 1
    }
    return text
  }

  /// The markup below it, as text.
  public var innerMarkup: String {
    var text = ""
    var open: [Int] = []
    var at = index + 1
    func close(before place: Int) {
      while let last = open.last, tree.nodes[last].end <= place {
        text += "</\(tree.nodes[last].qualifiedName)>"
        open.removeLast()
      }
    }
    while at < node.end {
      close(before: at)
      let node = tree.nodes[at]
      if node.isElement {
        text += "<\(node.qualifiedName)"
        for attribute in node.attributes {
          text += " \(attribute.name)=\"\(markup(attribute.value, escaping: .quotes))\""
        }
        if node.end == at + 1, emptyElements.contains(node.name) {
          text += " />"
        } else {
          text += ">"
          open.append(at)
        }
      } else {
        text += markup(node.text, escaping: .brackets)
      }
      at += 1
    }
    close(before: self.node.end)
    return text
  }
}

extension MarkupTree.Node {
  /// The name as it is written; XHTML in a feed has a prefix that means nothing outside of it.
  fileprivate var qualifiedName: String {
    namespace == "http://www.w3.org/1999/xhtml" || prefix.isEmpty ? name : "\(prefix):\(name)"
  }
}

/// Whether HTML has an element for text of this name.
func isElement(_ name: String) -> Bool { blockElements.contains(name) || inlineElements.contains(name) }

private let inlineElements: Set<String> = [
  "a", "abbr", "acronym", "b", "bdi", "big", "cite", "code", "del", "em", "font", "i", "img", "ins", "kbd",
  "mark", "q", "s", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
]
private let hiddenElements: Set<String> = [
  "script", "style", "noscript", "template", "head", "iframe", "noembed", "noframes",
]
private let emptyElements: Set<String> = ["br", "hr", "img", "input", "link", "meta", "area", "col", "wbr"]
private let blockElements: Set<String> = [
  "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "details", "div", "dl", "dt",
  "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
  "li", "main", "nav", "ol", "option", "p", "pre", "section", "select", "summary", "table", "tbody", "td",
  "tfoot", "th", "thead", "tr", "ul",
]

extension MarkupTree {
  /// Whether a node is an element that selectors find: in a page none of those in templates.
  func isFound(_ index: Int) -> Bool {
    let node = nodes[index]
    return node.isElement && !(isHTML && node.isInTemplate)
  }
}
