extension Headers {
  /// Where a `Link` header says that something is, as the next page:
  /// `Link: </items?page=2>; rel="next", </items?page=9>; rel="last"`.
  ///
  /// Nil where none says it. What it answers is for `Request.following`.
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

/// Reads the links of one header, one after the other, to the first that makes no sense (RFC 8288).
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
      // Said twice, only the first counts.
      if name == "rel", relations.isEmpty {
        relations = value.lowercased().split(separator: " ").map(String.init)
      }
    }
    return (target, relations)
  }

  /// Goes past a mark, if it comes next.
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
