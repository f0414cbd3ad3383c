// Entity tags, by which a client says what it has already.

extension String {
  /// Whether this value of `If-None-Match` names a tag, which may be weak on either side, or is a star.
  func hasTag(_ tag: String) -> Bool {
    func strong(_ tag: some StringProtocol) -> Substring {
      tag.hasPrefix("W/") ? Substring(tag).dropFirst(2) : Substring(tag)
    }
    return split(separator: ",").contains { part in
      let part = part.drop { $0 == " " }
      let end = part.lastIndex { $0 != " " }.map { part.index(after: $0) } ?? part.startIndex
      return part[..<end] == "*" || strong(part[..<end]) == strong(tag)
    }
  }
}
