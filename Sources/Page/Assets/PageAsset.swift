import System

/// The files that pages need, embedded in the program: one script, one style sheet, one icon.
///
/// Their names contain a hash of their content, so browsers keep them for good.
struct PageAsset: Sendable {
  let name: String
  private let type: String
  private let bytes: [UInt8]

  static let script = PageAsset("page", "js", "text/javascript; charset=utf-8", PackageResources.page_js)
  static let style = PageAsset("page", "css", "text/css; charset=utf-8", PackageResources.page_css)
  static let icon = PageAsset("icon", "svg", "image/svg+xml", PackageResources.icon_svg)
  static let all = [script, style, icon]

  private init(_ name: String, _ ending: String, _ type: String, _ bytes: [UInt8]) {
    self.name = "\(name)-\(String(StableHash(bytes).value, radix: 36)).\(ending)"
    self.type = type
    self.bytes = bytes
  }

  var link: Link { Link(path: ["assets", name]) }

  var size: Int { bytes.count }

  var answer: PageAnswer {
    PageAnswer(200, type, bytes, [("Cache-Control", "public, max-age=31536000, immutable")])
  }
}
