/// Builds the tree from libyaml's events: anchors, keys, bounds.
struct Composer {
  /// A mapping or sequence that is not ended yet.
  private struct Frame {
    var isMapping: Bool
    var start: Int
    var anchor: String?
    var elements: [Node] = []
    var entries: [Node.Entry] = []
    var names: [String: Place] = [:]
    /// The key that waits for its value.
    var key: Scalar?
    /// Whether what comes next is the value of a key that was wrong.
    var skipsValue = false
    /// The nodes counted before it, and the deepest nesting seen in it.
    var countBefore: Int
    var deepest = 0
  }

  private struct Anchored {
    var node: Node
    var count: Int
    var height: Int
  }

  var problems: Problems
  /// The values of the environment that the file was made with.
  var secrets = Secrets()
  /// Whether a part of the file could not be read: an anchor may have been there.
  var isBroken = false
  private(set) var root: Node?
  let file: SourceFile
  private let limits: Limits
  private var stack: [Frame] = []
  private var anchors: [String: Anchored] = [:]
  private var count = 0

  init(_ file: SourceFile, _ limits: Limits, _ problems: Problems) {
    self.file = file
    self.limits = limits
    self.problems = problems
  }

  /// Takes one event; false when the file asks for too much to go on.
  mutating func add(_ event: YAMLEvent, _ bytes: [UInt8], _ environment: (String) -> String?) -> Bool {
    let place = Place(file, event.range)
    switch event.kind {
    case .scalar(let text, let style):
      count += 1
      let isKey = stack.last.map { $0.isMapping && $0.key == nil && !$0.skipsValue } ?? false
      let made = makeScalar(text, style, event, bytes, isKey: isKey, environment)
      put(.scalar(made), anchor: event.anchor, count: 1, height: 0)
    case .alias(let name): addAlias(name, place)
    case .sequenceStart, .mappingStart:
      count += 1
      checkTag(event)
      guard stack.count < limits.depth else {
        problems.report(
          "this is nested more than \(limits.depth) deep", at: place,
          hint: "take out a level, or close a bracket")
        return false
      }
      var isMapping = false
      if case .mappingStart = event.kind { isMapping = true }
      stack.append(
        Frame(
          isMapping: isMapping, start: event.range.lowerBound, anchor: event.anchor, countBefore: count - 1))
    case .sequenceEnd, .mappingEnd: close(at: event.range.upperBound)
    default: break
    }
    guard count <= limits.nodes else {
      problems.report(
        "the document has more than \(limits.nodes) values, aliases counted with what they stand for",
        at: place,
        hint: "use fewer aliases, or keep data in a file of its own")
      return false
    }
    return true
  }

  /// Whether there was nothing but comments, or a lone `---`.
  var isEmpty: Bool {
    switch root {
    case nil: true
    case .scalar(let scalar): scalar.written.isEmpty && scalar.style == .plain
    default: false
    }
  }

  /// Ends whatever is open, where reading stopped.
  mutating func closeAll(at offset: Int) {
    while !stack.isEmpty { close(at: offset) }
  }

  private mutating func close(at end: Int) {
    guard var frame = stack.popLast() else { return }
    let place = Place(file, frame.start..<end)
    if let key = frame.key { frame.entries.append(Node.Entry(key: key, value: nothing(after: key, end))) }
    let node: Node
    if frame.isMapping {
      node = .mapping(Node.Mapping(entries: merged(frame.entries, &problems), place: place))
    } else {
      node = .sequence(Node.Sequence(elements: frame.elements, place: place))
    }
    put(node, anchor: frame.anchor, count: count - frame.countBefore, height: frame.deepest + 1)
  }

  private func nothing(after key: Scalar, _ end: Int) -> Node {
    let place = Place(file, key.place.range.upperBound..<key.place.range.upperBound)
    return .scalar(
      Scalar(
        text: "", written: "", style: .plain, meaning: .null, place: place, variables: [], map: TextMap()))
  }

  private mutating func addAlias(_ name: String, _ place: Place) {
    guard let anchored = anchors[name] else {
      if stack.contains(where: { $0.anchor == name }) {
        problems.report(
          "the alias *\(printable(name)) stands within its own anchor", at: place, hint: "write it out")
      } else if !isBroken {
        let hint = suggestion(for: name, among: anchors.keys.sorted())
        problems.report(
          "there is no anchor &\(printable(name)) above this alias", at: place,
          hint: hint ?? "put the text in quotes if no alias is meant")
      }
      skip()
      return
    }
    count += anchored.count
    guard stack.count + anchored.height <= limits.depth else {
      problems.report("this alias nests more than \(limits.depth) deep", at: place, hint: "take out a level")
      skip()
      return
    }
    put(anchored.node, anchor: nil, count: anchored.count, height: anchored.height)
  }

  /// Puts a finished node where it belongs.
  private mutating func put(_ node: Node, anchor: String?, count: Int, height: Int) {
    if let anchor { anchors[anchor] = Anchored(node: node, count: count, height: height) }
    guard var frame = stack.popLast() else {
      root = joined(root, node)
      return
    }
    frame.deepest = max(frame.deepest, height)
    if !frame.isMapping {
      frame.elements.append(node)
    } else if frame.skipsValue {
      frame.skipsValue = false
    } else if let key = frame.key {
      frame.entries.append(Node.Entry(key: key, value: node))
      frame.key = nil
    } else {
      frame.skipsValue = !takeKey(node, &frame)
    }
    stack.append(frame)
  }

  private mutating func skip() {
    guard var frame = stack.popLast() else { return }
    if frame.isMapping {
      if frame.skipsValue { frame.skipsValue = false } else { frame.skipsValue = frame.key == nil }
      frame.key = nil
    }
    stack.append(frame)
  }

  /// Whether the node is a key as it should be.
  private mutating func takeKey(_ node: Node, _ frame: inout Frame) -> Bool {
    guard let key = node.scalar else {
      problems.report(
        "\(node.kind) cannot be a key", at: node.place,
        hint: "put the text in single quotes if it begins with { or [")
      return false
    }
    if let first = frame.names[key.text] {
      problems.report(
        "the key \(quoted(key.text)) is here twice", at: key.place,
        hint: "the first is at \(first.position); remove or rename one")
      return false
    }
    frame.names[key.text] = key.place
    frame.key = key
    return true
  }

  /// What was read before a syntax error, and what was read behind it.
  private mutating func joined(_ first: Node?, _ second: Node) -> Node {
    guard case .mapping(var mapping)? = first, case .mapping(let more) = second else {
      return first ?? second
    }
    for entry in more.entries {
      if let known = mapping[entry.key.text] {
        problems.report(
          "the key \(quoted(entry.key.text)) is here twice", at: entry.key.place,
          hint: "the first is at \(known.key.place.position); remove or rename one")
      } else {
        mapping.entries.append(entry)
      }
    }
    mapping.place = Place(file, mapping.place.range.lowerBound..<more.place.range.upperBound)
    return .mapping(mapping)
  }
}
