import Delivery
import Fetch
import Language
import System

/// The route of mails, from `mailto:a@example.org,b@example.org?from=…&server=smtps://USER:PASSWORD@HOST:PORT`.
struct MailRoute: Sendable {
  let recipients: [String]
  let sender: String
  let host: String
  let port: Int?
  let encryption: Mail.Encryption
  let user: String?
  let password: String?

  init(_ to: Destination) throws(Sentence) {
    recipients = to.path.split(separator: ",").map { percentDecoded(String($0)) }
    guard !recipients.isEmpty, recipients.allSatisfy(isMailAddress) else {
      throw Sentence("mailto needs addresses such as me@example.org, separated by commas")
    }
    let server = to.parameter("server") ?? "smtp://localhost:25"
    guard let mark = server.place(of: "://") else {
      throw Sentence("the mail server begins with smtps:// or smtp://")
    }
    let scheme = server[..<mark.lowerBound]
    guard scheme == "smtps" || scheme == "smtp" else {
      throw Sentence("the mail server begins with smtps:// or smtp://")
    }
    var site = server[mark.upperBound...]
    while site.hasSuffix("/") { site = site.dropLast() }
    if let at = site.lastIndex(of: "@") {
      let parts = site[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = percentDecoded(String(parts[0]))
      password = parts.count > 1 ? percentDecoded(String(parts[1])) : nil
      site = site[site.index(after: at)...]
    } else {
      (user, password) = (nil, nil)
    }
    var port: Int?
    if let colon = site.lastIndex(of: ":"), !site.hasSuffix("]") {
      guard let number = Int(site[site.index(after: colon)...]), (1...65535).contains(number) else {
        throw Sentence("the mail server's port is not a number from 1 to 65535")
      }
      port = number
      site = site[..<colon]
    }
    guard !site.isEmpty, site.utf8.allSatisfy({ isHostByte($0) }) else {
      throw Sentence("the mail server has no valid host")
    }
    (host, self.port) = (String(site), port)
    let isLocal = ["localhost", "127.0.0.1", "[::1]"].contains(host)
    // A password never crosses a network in clear.
    encryption = scheme == "smtps" ? .immediate : isLocal ? .optional : .required
    let from = to.parameter("from") ?? user.flatMap { isMailAddress($0) ? $0 : nil } ?? recipients[0]
    guard isMailAddress(from) else { throw Sentence("the sender in from is no mail address") }
    sender = from
  }

  /// The mail for a message; a repeat has the same Message-ID.
  func mail(_ message: Message, id: String, at seconds: Double) -> Mail {
    let text = MailText(
      message, from: sender, to: recipients, id: id,
      date: httpDate(Int(seconds)).replacing("GMT", by: "+0000"), picture: KeptPicture.read(message.picture))
    return Mail(
      host: host, port: port, encryption: encryption, user: user, password: password, sender: sender,
      recipients: recipients, message: text.bytes)
  }
}

/// Whether a text is a mail address that can stand in an envelope and a header as it is.
private func isMailAddress(_ text: String) -> Bool {
  let parts = text.split(separator: "@", omittingEmptySubsequences: false)
  let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"<>()[]\\,;:\"".utf8.contains($0) }
  return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && isPlain
}

private func isHostByte(_ byte: UInt8) -> Bool { isUnreserved(byte) || "[]:".utf8.contains(byte) }

/// The text of a mail: headers, and a plain and an HTML part (RFC 5322, 2045 to 2047).
///
///     Subject: =?utf-8?B?…?=
///     Content-Type: multipart/alternative; boundary="…"
struct MailText {
  let bytes: [UInt8]

  init(
    _ message: Message, from: String, to: [String], id: String, date: String, picture: [UInt8]? = nil
  ) {
    var message = message
    if message.picture.hasPrefix("/") { message.picture = "" }
    let name = String(id.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) ? $0 : "." })
    // Not a character of base64, so that no part contains it.
    let boundary = "=_flow_=\(name)"
    var lines = [
      "Date: \(date)", "From: flow <\(from)>", "To: \(to.map { "<\($0)>" }.joined(separator: ",\r\n "))",
      "Subject: \(MailText.header(message.title))", "Message-ID: <\(name)@flow.invalid>",
      "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
    ]
    if message.priority > 3 { lines += ["Importance: high", "X-Priority: \(message.priority == 5 ? 1 : 2)"] }
    if message.priority < 3 { lines += ["Importance: low", "X-Priority: \(6 - message.priority)"] }
    // The picture and the texts that belong to it are parts of one whole.
    let outer = "=_flow__=\(name)"
    if picture != nil {
      lines += ["Content-Type: multipart/related; boundary=\"\(outer)\"", "", "--\(outer)"]
    }
    lines += ["Content-Type: multipart/alternative; boundary=\"\(boundary)\"", ""]
    let tags = message.tags.joined(separator: ", ")
    let plain = [message.body.isEmpty ? message.title : message.body, message.link, message.picture, tags]
    lines += MailText.part("plain", plain.filter { !$0.isEmpty }.joined(separator: "\n\n"), boundary)
    if picture != nil { message.picture = "cid:picture@flow.invalid" }
    lines += MailText.part("html", MailText.html(message), boundary)
    lines += ["--\(boundary)--", ""]
    if let picture {
      lines += [
        "--\(outer)", "Content-Type: image/png", "Content-Transfer-Encoding: base64",
        "Content-ID: <picture@flow.invalid>", "Content-Disposition: inline; filename=\(Attachment.name)", "",
      ]
      lines += MailText.lines(picture) + ["--\(outer)--", ""]
    }
    bytes = Array(lines.joined(separator: "\r\n").utf8)
  }

  private static func part(_ type: String, _ text: String, _ boundary: String) -> [String] {
    [
      "--\(boundary)", "Content-Type: text/\(type); charset=utf-8", "Content-Transfer-Encoding: base64", "",
    ] + lines(Array(text.replacing("\n", by: "\r\n").utf8))
  }

  /// Bytes as base64, in lines.
  private static func lines(_ bytes: [UInt8]) -> [String] {
    let encoded = Array(base64(bytes).utf8)
    return stride(from: 0, to: encoded.count, by: 76).map {
      String(decoding: encoded[$0..<min($0 + 76, encoded.count)], as: UTF8.self)
    }
  }

  static func html(_ message: Message) -> String {
    var parts = ["<h3>\(markup(message.title))</h3>"]
    if !message.body.isEmpty {
      parts += body(message.body)
    }
    if !message.picture.isEmpty { parts.append("<p><img src=\"\(markup(message.picture))\" alt=\"\"></p>") }
    if !message.link.isEmpty {
      parts.append("<p><a href=\"\(markup(message.link))\">\(markup(message.link))</a></p>")
    }
    if !message.tags.isEmpty {
      parts.append("<p><small>\(markup(message.tags.joined(separator: " · ")))</small></p>")
    }
    return "<!DOCTYPE html>\n<html><body>\n\(parts.joined(separator: "\n"))\n</body></html>\n"
  }

  /// A text as a paragraph; the differences of texts in it are lines with colours.
  private static func body(_ text: String) -> [String] {
    let lines = DifferenceLine.lines(of: text) ?? [DifferenceLine(text: text, part: .outside)]
    return lines.map { line in
      let text = markup(line.text)
      return switch line.part {
      case .outside: "<p>\(text.replacing("\n", by: "<br>\n"))</p>"
      case .removed: "<pre style=\"margin:0;color:#b31d28\">\(text)</pre>"
      case .added: "<pre style=\"margin:0;color:#22863a\">\(text)</pre>"
      case .hunk, .same: "<pre style=\"margin:0\">\(text)</pre>"
      }
    }
  }

  /// A text in a header: as it is where it is short and ASCII, otherwise as encoded words of whole characters, in lines
  /// of at most 76 bytes.
  static func header(_ text: String) -> String {
    let isPlain =
      text.utf8.count <= 60 && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f } && !text.has("=?")
    if isPlain { return text }
    var words: [[UInt8]] = [[]]
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
      words[words.count - 1] += bytes
    }
    return words.map { "=?utf-8?B?\(base64($0))?=" }.joined(separator: "\r\n ")
  }
}
