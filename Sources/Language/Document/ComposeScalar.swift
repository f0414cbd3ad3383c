extension Composer {
  /// A scalar with its variables replaced (a key has none) and its meaning found.
  mutating func makeScalar(
    _ text: [UInt8], _ style: Scalar.Style, _ event: YAMLEvent, _ bytes: [UInt8],
    isKey: Bool, _ environment: (String) -> String?
  ) -> Scalar {
    let (sourceMap, range) = ScalarReader.map(text, style, in: bytes, event.range)
    let place = Place(file, range)
    let written = String(decoding: text, as: UTF8.self)
    guard !isKey, written.utf8.contains(UInt8(ascii: "$")) else {
      return Scalar(
        text: written, written: written, style: style, meaning: meaning(written, style, event), place: place,
        variables: [], map: sourceMap)
    }
    let interpolation = Interpolation(text, sourceMap, environment: environment)
    for flaw in interpolation.flaws {
      problems.report(flaw.message, at: Place(file, sourceMap.file(of: flaw.range)), hint: flaw.hint)
    }
    let full = String(decoding: interpolation.text, as: UTF8.self)
    let secretValues = interpolation.values.compactMap { Secrets.secretPart(of: $0.value, named: $0.name) }
    for value in secretValues { secrets.insert(value) }
    return Scalar(
      text: full, written: written, style: style, meaning: meaning(full, style, event), place: place,
      variables: interpolation.variables, map: interpolation.map, insertions: interpolation.insertions,
      secrets: secretValues)
  }

  private mutating func meaning(_ text: String, _ style: Scalar.Style, _ event: YAMLEvent) -> Meaning {
    checkTag(event)
    let plain = style == .plain ? coreMeaning(text) : .string
    switch event.tag {
    case "!", "tag:yaml.org,2002:str": return .string
    case "tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool",
      "tag:yaml.org,2002:null":
      return coreMeaning(text)
    default: return plain
    }
  }

  mutating func checkTag(_ event: YAMLEvent) {
    let core = ["str", "int", "float", "bool", "null", "seq", "map"].map { "tag:yaml.org,2002:\($0)" }
    guard let tag = event.tag, tag != "!", !core.contains(tag) else { return }
    let start = event.range.lowerBound
    problems.report(
      "the tag \(quoted(tag)) means nothing here", at: Place(file, start..<start + 1),
      hint: "put the text in single quotes if it begins with “!”")
  }
}
