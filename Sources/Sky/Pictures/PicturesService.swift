// The files to which links in other answers lead.

import JSON

/// Pictures, films and pages: `/pictures/….png`, `.mp4` and `.html`.
///
/// They are served as by a web server: with a tag, a date and byte ranges, so that a download can be resumed.
public final class PicturesService: SkyService {
  private static let modified = "Wed, 05 Oct 2022 00:00:00 GMT"

  private let seed: UInt64

  public init(seed: UInt64) { self.seed = seed }

  public func answer(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer? {
    guard request.path.hasPrefix("/pictures/") else { return nil }
    guard request.method == "GET" || request.method == "HEAD" else {
      return .text(405, "Method Not Allowed\n", type: "text/plain", headers: [("Allow", "GET, HEAD")])
    }
    guard let (type, bytes) = file(request.path) else { return .text(404, "Not Found\n", type: "text/plain") }
    var random = SkyRandom(seed, "tag \(request.path)")
    let tag = "\"\(String(random.next(), radix: 16))\""
    var headers: [(name: String, value: String)] = [
      ("Content-Type", type), ("ETag", tag), ("Last-Modified", Self.modified), ("Accept-Ranges", "bytes"),
      ("Cache-Control", "public, max-age=3600"),
    ]
    if let known = request[header: "if-none-match"] {
      if known.hasTag(tag) { return SkyAnswer(status: 304, headers: headers, body: []) }
    } else if request[header: "if-modified-since"] == Self.modified {
      return SkyAnswer(status: 304, headers: headers, body: [])
    }
    // The rest of a file that has changed since is of no use: the whole file is sent.
    let condition = request[header: "if-range"] ?? tag
    guard condition == tag || condition == Self.modified, let first = Self.first(request[header: "range"])
    else {
      headers.append(("Content-Length", "\(bytes.count)"))
      return SkyAnswer(headers: headers, body: bytes)
    }
    let rest = Array(bytes.dropFirst(first))
    if rest.isEmpty {
      return SkyAnswer(status: 416, headers: [("Content-Range", "bytes */\(bytes.count)")], body: [])
    }
    headers += [
      ("Content-Range", "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"),
      ("Content-Length", "\(rest.count)"),
    ]
    return SkyAnswer(status: 206, headers: headers, body: rest)
  }

  /// The first byte of a range without an end, as `download` requests it; other ranges are answered with the whole file.
  private static func first(_ range: String?) -> Int? {
    guard let range, range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
    return SkyDate.number(range.dropFirst(6).dropLast())
  }

  /// The file of a path whose folders and names are of letters, digits, dashes, underscores and dots.
  private func file(_ path: String) -> (type: String, bytes: [UInt8])? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2)
    let arePlain = parts.allSatisfy { part in
      (1...80).contains(part.utf8.count)
        && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }
    guard arePlain, let name = parts.last, let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return nil
    }
    switch name[dot...] {
    case ".png": return ("image/png", Picture.png(path, seed: seed))
    case ".mp4": return ("video/mp4", Picture.film)
    case ".html":
      let name = name[..<dot]
      let page = "<!doctype html>\n<title>\(name)</title>\n<img src=\"\(name).png\" alt=\"\(name)\">\n"
      return ("text/html; charset=utf-8", Array(page.utf8))
    default: return nil
    }
  }
}
