// HTML, read by libgumbo as browsers read it.

import CGumbo
import JSON
import System

extension MarkupTree {
  /// Reads an HTML page of any kind; `charset` is the one that the server has named.
  public static func html(
    _ bytes: ByteView, charset: String? = nil, limits: MarkupLimits = MarkupLimits()
  ) throws(TextFlaw) -> MarkupTree {
    if let failure = flow_gumbo_load() { throw TextFlaw(String(cString: failure)) }
    guard bytes.count <= Int(Int32.max) else { throw TextFlaw("the text is longer than 2 GiB") }
    guard bytes.contains(where: { $0 > 0x20 }) else { throw TextFlaw("the text is empty") }
    let watch = MarkupWatch(limits)
    let text = try PageText(bytes, charset: charset, limits, watch)
    return try text.bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(TextFlaw) in try parse(bytes, text, limits, watch) }
    }.get()
  }

  private static func parse(
    _ bytes: ByteView, _ source: PageText, _ limits: MarkupLimits, _ watch: MarkupWatch
  ) throws(TextFlaw) -> MarkupTree {
    _ = try PageScan(bytes, limits, watch)
    try watch.check(beforeLarge: true)
    let text = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
    let opened = withExtendedLifetime(watch) {
      flow_page_open(
        text, bytes.count, limits.pageMemory, limits.depth, { MarkupWatch.goesOn($0) },
        Unmanaged.passUnretained(watch).toOpaque())
    }
    guard let page = opened else { throw TextFlaw("there is no memory for the page") }
    defer { flow_page_close(page) }
    try watch.check()
    if flow_page_state(page) == flow_page_full.rawValue {
      throw TextFlaw("the page takes more than \(limits.pageMemory >> 20) MiB to read")
    }
    var builder = TreeBuilder(limits)
    while try add(page, to: &builder, limits) { try watch.check() }
    if source.hidesControls { builder.changeTexts(PageText.withControls) }
    return try builder.tree(isHTML: true, flaws: source.flaws)
  }

  /// Takes the next node; false at the end.
  private static func add(
    _ page: OpaquePointer, to builder: inout TreeBuilder, _ limits: MarkupLimits
  ) throws(TextFlaw) -> Bool {
    switch flow_page_next(page) {
    case Int32(flow_page_element.rawValue):
      var node = Node(isElement: true, parent: 0)
      var length = 0
      let name = flow_page_name(page, &length)
      node.name = String(decoding: UnsafeRawBufferPointer(start: name, count: length), as: UTF8.self)
      let space = flow_page_namespace(page)
      // One that the library does not know is as it is written.
      if space != flow_page_svg.rawValue { node.name = asciiLowercased(node.name) }
      switch space {
      case Int32(flow_page_svg.rawValue): node.namespace = "http://www.w3.org/2000/svg"
      case Int32(flow_page_mathml.rawValue): node.namespace = "http://www.w3.org/1998/Math/MathML"
      default: break
      }
      node.attributes = attributes(page)
      try builder.begin(node)
    case Int32(flow_page_element_end.rawValue): builder.end()
    case Int32(flow_page_text.rawValue): builder.append(String(cString: flow_page_value(page)))
    case Int32(flow_page_too_deep.rawValue):
      throw TextFlaw("elements are nested more than \(limits.depth) deep")
    default: return false
    }
    try builder.checkSize()
    return true
  }

  private static func asciiLowercased(_ name: String) -> String {
    guard name.utf8.contains(where: { (0x41...0x5a).contains($0) }) else { return name }
    return String(decoding: name.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// The attributes of an element, by the names that they have in the page, such as `xlink:href`.
  private static func attributes(_ page: OpaquePointer) -> [Attribute] {
    (0..<flow_page_attributes(page)).map { index in
      var prefix: Int32 = 0
      var value: UnsafePointer<CChar>?
      var name = String(cString: flow_page_attribute(page, index, &prefix, &value))
      switch prefix {
      case Int32(flow_page_xlink.rawValue): name = "xlink:" + name
      case Int32(flow_page_xml.rawValue): name = "xml:" + name
      case Int32(flow_page_xmlns.rawValue) where name != "xmlns": name = "xmlns:" + name
      default: break
      }
      return Attribute(name: name, prefix: "", namespace: "", value: value.map { String(cString: $0) } ?? "")
    }
  }
}
