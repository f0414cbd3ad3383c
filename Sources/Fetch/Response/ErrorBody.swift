import System
import JSON

/// The kind of a body, guessed from its first bytes and its content type.
package enum BodyKind: String {
  case empty = "nothing"
  case html = "an HTML page"
  case xml = "XML"
  case json = "JSON"
  case text = "text"
  case binary = "binary data"

  package init(_ body: [UInt8], contentType: String?) {
    let start = body.prefix(512).drop { [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].contains($0) }
    let opening = String(decoding: start.prefix(64), as: UTF8.self).lowercased()
    let type = contentType?.lowercased() ?? ""
    if start.isEmpty {
      self = .empty
    } else if opening.hasPrefix("<!doctype html") || opening.hasPrefix("<html") || opening.hasPrefix("<head")
      || (type.has("html") && opening.hasPrefix("<"))
    {
      self = .html
    } else if opening.hasPrefix("<") {
      self = .xml
    } else if start.contains(where: { $0 < 0x09 }) {
      self = .binary
    } else if opening.hasPrefix("{") || opening.hasPrefix("[") {
      self = .json
    } else {
      self = .text
    }
  }
}

/// The error message in a response's body, as one redacted line: the message of a JSON error, the title of an HTML page,
/// or the beginning of a text; nil for an empty or binary body.
func errorMessage(in body: [UInt8], contentType: String?, _ redaction: Redaction) -> String? {
  let kind = BodyKind(body, contentType: contentType)
  switch kind {
  case .empty, .binary: return nil
  case .html: return title(of: body, redaction).map { "an HTML page titled \(quoted($0))" } ?? "an HTML page"
  case .json:
    if body.count <= 1 << 16, let value = try? Value.parse(body), let words = message(in: value) {
      return excerpt(redaction.masked(words))
    }
    return excerpt(redaction.masked(String(decoding: body.prefix(4096), as: UTF8.self)))
  case .xml, .text: return excerpt(redaction.masked(String(decoding: body.prefix(4096), as: UTF8.self)))
  }
}

/// The message under the names that Launch Library (`detail`), APOD (`msg`, `error.message`) and most others use.
private func message(in value: Value) -> String? {
  for name in ["detail", "msg", "message", "error", "errors", "error_description", "title"] {
    guard let found = value.member(name) else { continue }
    if let text = found.string, !text.isEmpty { return text }
    if let text = message(in: found) { return text }
    if let text = found.element(0)?.string { return text }
  }
  return nil
}

/// Whether the message of an error is about an HTML page whose title asks to sign in, as where a session has expired.
package func isAboutLoginPage(_ message: String) -> Bool {
  guard let page = message.place(of: "\(BodyKind.html.rawValue) titled ") else { return false }
  let title = message[page.upperBound...].lowercased()
  return ["sign in", "log in", "login", "anmelde", "connexion", "iniciar ses", "zaloguj"].contains(
    where: title.has)
}

private func title(of page: [UInt8], _ redaction: Redaction) -> String? {
  let text = redaction.masked(String(decoding: page.prefix(1 << 14), as: UTF8.self))
  guard let start = text.place(of: "<title>") ?? text.place(of: "<TITLE>") else { return nil }
  let words = excerpt(String(text[start.upperBound...].prefix { $0 != "<" }), limit: 80)
  return words.isEmpty ? nil : words
}

extension Response {
  /// The encoding of the body that the header Content-Type names.
  package var charset: String? { Fetch.charset(ofType: headers["content-type"]) }

  /// The title of the HTML page that the body is; nil for any other body.
  package var pageTitle: String? {
    BodyKind(bytes, contentType: headers["content-type"]) == .html ? title(of: bytes, Redaction([])) : nil
  }

  /// The body as the HTML page that it is, in a few words; nil for any other body.
  package var page: String? { pageInWords(bytes, contentType: headers["content-type"]) }
}

/// A text as the HTML page that it is, in a few words; nil for any other text.
package func pageInWords(_ text: [UInt8], contentType: String? = nil) -> String? {
  guard BodyKind(text, contentType: contentType) == .html else { return nil }
  return errorMessage(in: text, contentType: contentType, Redaction([]))
}
