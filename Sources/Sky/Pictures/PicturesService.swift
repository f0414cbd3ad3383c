// The pictures that the other services' answers link to, drawn when they are asked for.

import JSON
import Synchronization

/// Patches, photographs and pictures of the day: `/pictures/…`.
///
/// They are files as a web server has them: with a tag, a date and parts, so that a download can be resumed.
public final class PicturesService: SkyService {
  private struct File {
    var type: String
    var modified: SkyTime
    var draw: () -> [UInt8]
  }

  /// How many pictures are kept, so that parts of one do not each need it drawn.
  private static let kept = 8
  /// When what is not of a day was made.
  private static let founding = SkyDate(2022, 10, 5).start

  private let seed: UInt64
  private let drawn = Mutex<[(path: String, bytes: [UInt8])]>([])

  public init(seed: UInt64) { self.seed = seed }

  public func answer(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer? {
    guard request.path.hasPrefix("/pictures/") else { return nil }
    guard request.method == "GET" || request.method == "HEAD" else {
      return .text(405, "Method Not Allowed\n", type: "text/plain", headers: [("Allow", "GET, HEAD")])
    }
    guard let file = file(request.path, at: now) else { return .text(404, "Not Found\n", type: "text/plain") }
    return answer(file, tag: tag(request.path), request)
  }

  private func answer(_ file: File, tag: String, _ request: SkyRequest) -> SkyAnswer {
    var headers: [(name: String, value: String)] = [
      ("Content-Type", file.type), ("ETag", tag), ("Last-Modified", file.modified.http),
      ("Accept-Ranges", "bytes"), ("Cache-Control", "public, max-age=3600"),
    ]
    if let known = request[header: "if-none-match"] {
      if known.hasTag(tag) { return SkyAnswer(status: 304, headers: headers, body: []) }
    } else if request[header: "if-modified-since"] == file.modified.http {
      return SkyAnswer(status: 304, headers: headers, body: [])
    }
    let bytes = bytes(request.path, file)
    var range = PictureRange.whole
    if let asked = request[header: "range"] { range = PictureRange(asked, length: bytes.count) }
    // A part of what has become another file is of no use: the whole is sent.
    if let condition = request[header: "if-range"], condition != tag, condition != file.modified.http {
      range = .whole
    }
    switch range {
    case .whole:
      headers.append(("Content-Length", "\(bytes.count)"))
      return SkyAnswer(headers: headers, body: bytes)
    case .part(let part):
      headers += [
        ("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"),
        ("Content-Length", "\(part.count)"),
      ]
      return SkyAnswer(status: 206, headers: headers, body: Array(bytes[part]))
    case .outside:
      return SkyAnswer(
        status: 416, headers: [("Content-Range", "bytes */\(bytes.count)"), ("Content-Length", "0")], body: []
      )
    }
  }

  // MARK: Files

  private func file(_ path: String, at now: SkyTime) -> File? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).map(String.init)
    guard parts.allSatisfy({ $0.isFileName }) else { return nil }
    switch (parts.first, parts.count) {
    case ("apod", 2): return dayFile(parts[1], at: now)
    case ("patches", 2): return patch(parts[1])
    case ("photos", 2):
      guard let name = parts[1].without(".png") else { return nil }
      let seed = SkyRandom(seed, "photo \(name)")
      return File(type: "image/png", modified: Self.founding) {
        LaunchPhoto.drawn(width: 480, height: 320, seed).bytes
      }
    case ("vi", 3) where parts[2] == "0.png":
      let seed = SkyRandom(seed, "thumbnail \(parts[1])")
      return File(type: "image/png", modified: Self.founding) {
        SkyPhoto.drawn(width: 320, height: 180, seed).bytes
      }
    default: return nil
    }
  }

  /// `2026-01-03.png`, `2026-01-03_hd.png`, `2026-01-03.mp4`, `2026-01-03.html`: of a day that has come.
  private func dayFile(_ name: String, at now: SkyTime) -> File? {
    guard let date = SkyDate(name.prefix(10)), date >= APODCalendar.first, date <= now.date else {
      return nil
    }
    if let name = name.without(".png") {
      let (name, isLarge) = name.without("_hd").map { ($0, true) } ?? (name, false)
      let seed = SkyRandom(seed, "picture \(name)")
      return File(type: "image/png", modified: date.start) {
        SkyPhoto.drawn(width: isLarge ? 640 : 320, height: isLarge ? 400 : 200, seed).bytes
      }
    }
    if let name = name.without(".mp4") {
      let seed = SkyRandom(seed, "film \(name)")
      return File(type: "video/mp4", modified: date.start) { EmptyFilm.bytes(seed) }
    }
    guard let name = name.without(".html") else { return nil }
    return File(type: "text/html; charset=utf-8", modified: date.start) {
      Array("<!doctype html>\n<title>\(name)</title>\n<img src=\"\(name)_hd.png\" alt=\"\(name)\">\n".utf8)
    }
  }

  private func patch(_ file: String) -> File? {
    guard let name = file.without(".svg") else { return nil }
    let (mission, isLarge) = name.without("_large").map { ($0, true) } ?? (name, false)
    let patch = MissionPatch(name: mission, size: isLarge ? 1024 : 256, seed: seed)
    return File(type: "image/svg+xml", modified: Self.founding) { Array(patch.svg.utf8) }
  }

  private func tag(_ path: String) -> String {
    var random = SkyRandom(seed, "tag \(path)")
    return "\"\(String(random.next(), radix: 16))\""
  }

  private func bytes(_ path: String, _ file: File) -> [UInt8] {
    if let known = drawn.withLock({ drawn in drawn.first { $0.path == path }?.bytes }) { return known }
    let bytes = file.draw()
    drawn.withLock { drawn in
      drawn.removeAll { $0.path == path }
      if drawn.count >= Self.kept { drawn.removeFirst() }
      drawn.append((path, bytes))
    }
    return bytes
  }
}

extension String {
  /// Letters, digits, dashes, underscores and dots, up to eighty.
  fileprivate var isFileName: Bool {
    (1...80).contains(utf8.count)
      && utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
          || $0 == 0x2d || $0 == 0x5f || $0 == 0x2e
      }
  }

  /// What comes before an ending; nil where that is nothing, or the ending another.
  fileprivate func without(_ ending: String) -> String? {
    hasSuffix(ending) && utf8.count > ending.utf8.count ? String(dropLast(ending.count)) : nil
  }
}
