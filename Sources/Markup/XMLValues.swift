import JSON
import System

/// The rules by which XML becomes JSON.
public struct XMLForm: Sendable {
  /// The elements that are the values; nil for the document as one value.
  public var select: Selector?
  /// Names of elements that are lists also where there is one.
  public var lists: Set<String>
  /// Prefixes by namespace, in place of those in the document.
  public var prefixes: [String: String]

  public init(select: Selector? = nil, lists: Set<String> = [], prefixes: [String: String] = [:]) {
    self.select = select
    self.lists = lists
    self.prefixes = prefixes
  }

  /// The values of a document.
  public func values(of tree: MarkupTree) throws(TextFlaw) -> [Value] {
    guard let select else {
      guard let root = tree.document.children.first else { return [] }
      var object = Value.emptyObject
      object.setMember(Key(name(root.node.name, root.node.prefix, root.namespace)), value(of: root))
      return [object]
    }
    let watch = MarkupWatch(tree.limits)
    var values: [Value] = []
    for element in try select.matches(in: tree.document) {
      try watch.check(beforeLarge: true)
      values.append(value(of: element))
    }
    return values
  }

  /// An element: a text if it has nothing else, or an object of its attributes (`@name`), elements and text (`#text`).
  private func value(of element: MarkupElement) -> Value {
    let node = element.node
    let children = element.children
    if children.isEmpty, node.attributes.isEmpty { return .string(element.rawText) }
    var object = Value.emptyObject
    for attribute in node.attributes {
      let name = name(attribute.name, attribute.prefix, attribute.namespace)
      object.setMember(Key("@\(name)"), .string(attribute.value))
    }
    var order: [String] = []
    var groups: [String: [Value]] = [:]
    for child in children {
      let name = name(child.node.name, child.node.prefix, child.namespace)
      if groups[name] == nil { order.append(name) }
      groups[name, default: []].append(value(of: child))
    }
    for name in order {
      guard let group = groups[name] else { continue }
      object.setMember(Key(name), group.count == 1 && !lists.contains(name) ? group[0] : .array(group))
    }
    let text = ownText(of: element)
    if !text.isEmpty { object.setMember(Key("#text"), .string(text)) }
    return object
  }

  /// The text directly in an element, without white space around it.
  private func ownText(of element: MarkupElement) -> String {
    var text = ""
    var at = element.index + 1
    while at < element.node.end {
      let node = element.tree.nodes[at]
      if !node.isElement { text += node.text }
      at = max(at + 1, node.end)
    }
    return trimmed(text)
  }

  private func name(_ local: String, _ prefix: String, _ namespace: String) -> String {
    let prefix = prefixes[namespace] ?? prefix
    return prefix.isEmpty ? local : "\(prefix):\(local)"
  }
}

/// A text without white space around it.
func trimmed(_ text: String) -> String {
  let start = text.drop(while: \.isWhitespace)
  guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
  return String(start[...last])
}
