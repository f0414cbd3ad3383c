extension Headers {
  /// The target of a relation in a `Link` header, the next page say:
  /// `Link: </items?page=2>; rel="next", </items?page=9>; rel="last"`.
  ///
  /// Nil if no header has the relation. The target is for `Request.following`.
  public func link(_ relation: String) -> String? {
    for field in fields where field.name == "link" {
      var reader = LinkReader(rest: field.value[...])
      while let link = reader.next() {
        if link.relations.contains(relation.lowercased()) { return link.target }
      }
    }
    return nil
  }
}

/// Parses the links of one header (RFC 8288) up to the first malformed one.
private struct LinkReader {
  var rest: Substring

  mutating func next() -> (target: String, relations: [String])? {
    rest = rest.drop { ", \t".contains($0) }
    guard rest.first == "<", let end = rest.firstIndex(of: ">") else { return nil }
    let target = String(rest[..<end].dropFirst())
    rest = rest[end...].dropFirst()
    var relations: [String] = []
    while skip(to: ";") {
      let name = takeWord().lowercased()
      let value = skip(to: "=") ? takeValue() : ""
      // Only the first `rel` counts.
      if name == "rel", relations.isEmpty {
        relations = value.lowercased().split(separator: " ").map(String.init)
      }
    }
    return (target, relations)
  }

  /// Skips a delimiter, if it is next.
  private mutating func skip(to mark: Character) -> Bool {
    let after = rest.drop { " \t".contains($0) }
    guard after.first == mark else { return false }
    rest = after.dropFirst().drop { " \t".contains($0) }
    return true
  }

  private mutating func takeWord() -> Substring {
    let word = rest.prefix { !" \t;,=".contains($0) }
    rest = rest[word.endIndex...]
    return word
  }

  private mutating func takeValue() -> String {
    guard rest.first == "\"" else { return String(takeWord()) }
    var value = ""
    var isEscaped = false
    rest = rest.dropFirst()
    while let character = rest.popFirst() {
      if character == "\"", !isEscaped { break }
      isEscaped = character == "\\" && !isEscaped
      if !isEscaped { value.append(character) }
    }
    return value
  }
}
