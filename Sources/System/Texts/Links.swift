/// Whether a link begins with a scheme.
package func hasScheme(_ link: String) -> Bool {
  let name = link.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
  return !name.isEmpty && link.dropFirst(name.count).first == ":"
}

/// A path that begins with a slash, without segments `.` and `..` (RFC 3986, 5.2.4).
package func withoutDots(_ path: String) -> String {
  guard path.has("/.") else { return path }
  var kept: [Substring] = []
  let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
  for segment in segments {
    if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
  }
  if [".", ".."].contains(segments.last), !kept.isEmpty { kept.append("") }
  return "/" + kept.joined(separator: "/")
}
