/// The composer: builds the tree from libyaml's events, with anchors, merge keys and limits.
struct Composer {
  /// A mapping or sequence that is not ended yet.
  private struct Frame {
    var isMapping: Bool
    var start: Int
    var anchor: String?
    var elements: [YAMLNode] = []
    var entries: [YAMLNode.Entry] = []
    var names: [String: SourceRange] = [:]
    /// The key that waits for its value.
    var key: Scalar?
    /// Whether what comes next is the value of a key that was wrong.
    var skipsValue = false
    /// The nodes counted before it, and the deepest nesting seen in it.
    var countBefore: Int
    var deepest = 0
  }

  private struct Anchored {
    var node: YAMLNode
    var count: Int
    var height: Int
  }

  var problems: Problems
  /// The values of the environment that the file was made with.
  var secrets = Secrets()
  /// Scalars with a value that is not known until the pipeline runs.
  var unknowns: [SourceRange] = []
  /// Whether a part of the file could not be read: an anchor may have been there.
  var isBroken = false
  private(set) var root: YAMLNode?
  let file: SourceFile
  /// Whether the file is data, in which `${NAME}` is text like any other.
  private let isData: Bool
  private let limits: Limits
  private var stack: [Frame] = []
  private var anchors: [String: Anchored] = [:]
  private var count = 0

  init(_ file: SourceFile, _ limits: Limits, _ problems: Problems, isData: Bool = false) {
    self.file = file
    self.isData = isData
    self.limits = limits
    self.problems = problems
  }

  /// Takes one event; false when the file asks for too much to go on.
  mutating func add(_ event: YAMLEvent, _ bytes: [UInt8], _ placeholders: Placeholders) -> Bool {
    let place = SourceRange(file, event.range)
    switch event.kind {
    case .scalar(let text, let style):
      count += 1
      let isKey = stack.last.map { $0.isMapping && $0.key == nil && !$0.skipsValue } ?? false
      let made = makeScalar(text, style, event, bytes, isKey: isKey, placeholders)
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
    while !stack.isEmpty { close(at: offset, isCut: true) }
  }

  private mutating func close(at end: Int, isCut: Bool = false) {
    guard var frame = stack.popLast() else { return }
    let place = SourceRange(file, frame.start..<end)
    // What a syntax error cut off has a value that is not known.
    if let key = frame.key, !isCut {
      frame.entries.append(YAMLNode.Entry(key: key, value: nothing(after: key, end)))
    }
    let node: YAMLNode
    if frame.isMapping {
      let entries = merged(frame.entries, &problems)
      node = .mapping(YAMLNode.Mapping(entries: entries, place: place, isCut: isCut))
    } else {
      node = .sequence(YAMLNode.Sequence(elements: frame.elements, place: place))
    }
    put(node, anchor: frame.anchor, count: count - frame.countBefore, height: frame.deepest + 1)
  }

  private func nothing(after key: Scalar, _ end: Int) -> YAMLNode {
    let place = SourceRange(file, key.place.range.upperBound..<key.place.range.upperBound)
    return .scalar(
      Scalar(
        text: "", written: "", style: .plain, meaning: .null, place: place, variables: [], map: TextMap()))
  }

  private mutating func addAlias(_ name: String, _ place: SourceRange) {
    guard let anchored = anchors[name] else {
      if stack.contains(where: { $0.anchor == name }) {
        problems.report(
          "the alias *\(printable(name)) refers to an anchor that contains it", at: place,
          hint: "write it out")
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
  private mutating func put(_ node: YAMLNode, anchor: String?, count: Int, height: Int) {
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
      frame.entries.append(YAMLNode.Entry(key: key, value: node))
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
  private mutating func takeKey(_ node: YAMLNode, _ frame: inout Frame) -> Bool {
    guard let key = node.scalar else {
      problems.report(
        "\(node.kind) cannot be a key", at: node.place,
        hint: "put the text in single quotes if it begins with { or [")
      return false
    }
    if let first = frame.names[key.text] {
      problems.report(
        "the key \(quoted(key.text)) is given twice", at: key.place,
        hint: "the first is at \(first.position); remove or rename one")
      return false
    }
    frame.names[key.text] = key.place
    frame.key = key
    return true
  }

  /// The node before a syntax error together with the one behind it.
  private mutating func joined(_ first: YAMLNode?, _ second: YAMLNode) -> YAMLNode {
    guard case .mapping(var mapping)? = first, case .mapping(let more) = second else {
      return first ?? second
    }
    for entry in more.entries {
      if let known = mapping[entry.key.text] {
        problems.report(
          "the key \(quoted(entry.key.text)) is given twice", at: entry.key.place,
          hint: "the first is at \(known.key.place.position); remove or rename one")
      } else {
        mapping.entries.append(entry)
      }
    }
    mapping.place = SourceRange(file, mapping.place.range.lowerBound..<more.place.range.upperBound)
    return .mapping(mapping)
  }
}

extension Composer {
  /// A scalar with its variables replaced (a key has none) and its meaning found.
  mutating func makeScalar(
    _ text: [UInt8], _ style: Scalar.Style, _ event: YAMLEvent, _ bytes: [UInt8],
    isKey: Bool, _ placeholders: Placeholders
  ) -> Scalar {
    let (sourceMap, range) = ScalarReader.map(text, style, in: bytes, event.range)
    let place = SourceRange(file, range)
    let written = String(decoding: text, as: UTF8.self)
    guard !isKey, !isData, written.utf8.contains(UInt8(ascii: "$")) else {
      return Scalar(
        text: written, written: written, style: style, meaning: meaning(written, style, event), place: place,
        variables: [], map: sourceMap)
    }
    let interpolation = Interpolation(text, sourceMap, placeholders)
    for flaw in interpolation.flaws {
      problems.report(flaw.message, at: SourceRange(file, sourceMap.file(of: flaw.range)), hint: flaw.hint)
    }
    for warning in interpolation.warnings {
      let place = SourceRange(file, sourceMap.file(of: warning.range))
      problems.report(Problem(warning.message, at: place, hint: warning.hint, isWarning: true))
    }
    let full = String(decoding: interpolation.text, as: UTF8.self)
    for value in interpolation.secrets { secrets.insert(value) }
    if interpolation.isUnknown { unknowns.append(place) }
    return Scalar(
      text: full, written: written, style: style, meaning: meaning(full, style, event), place: place,
      variables: interpolation.variables, map: interpolation.map, insertions: interpolation.insertions,
      secrets: interpolation.secrets)
  }

  private mutating func meaning(_ text: String, _ style: Scalar.Style, _ event: YAMLEvent) -> Meaning {
    checkTag(event)
    let plain = style == .plain ? coreMeaning(text) : .string
    switch event.tag {
    case "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:binary": return .string
    case "tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool",
      "tag:yaml.org,2002:null":
      return coreMeaning(text)
    default: return plain
    }
  }

  mutating func checkTag(_ event: YAMLEvent) {
    let core = ["str", "int", "float", "bool", "null", "seq", "map"].map { "tag:yaml.org,2002:\($0)" }
    guard !isData, let tag = event.tag, tag != "!", !core.contains(tag) else { return }
    let start = event.range.lowerBound
    problems.report(
      "the tag \(quoted(tag)) is not supported here", at: SourceRange(file, start..<start + 1),
      hint: "put the text in single quotes if it begins with “!”")
  }
}

/// The entries of a mapping with those of its merge key `<<` added; its own come first, then those named first.
///
///     <<: *defaults
///     <<: [*mine, *defaults]
func merged(_ entries: [YAMLNode.Entry], _ problems: inout Problems) -> [YAMLNode.Entry] {
  let isMerge: (YAMLNode.Entry) -> Bool = { $0.key.text == "<<" && $0.key.style == .plain }
  guard let merge = entries.first(where: isMerge) else { return entries }
  var result = entries.filter { !isMerge($0) }
  var names = Set(result.map(\.key.text))
  let sources: [YAMLNode]
  if case .sequence(let sequence) = merge.value {
    sources = sequence.elements
  } else {
    sources = [merge.value]
  }
  for source in sources {
    guard case .mapping(let mapping) = source else {
      problems.report(
        "“<<” takes a mapping or a list of mappings, and this is \(source.kind)", at: merge.key.place,
        hint: "write <<: *name, with &name at a mapping above")
      continue
    }
    for entry in mapping.entries where names.insert(entry.key.text).inserted { result.append(entry) }
  }
  return result
}
