// Where a request carries its key.

extension SkyRequest {
  /// The key of api.nasa.gov: of the header, the query, or the user of basic authentication; nil where there is none.
  var nasaKey: String? {
    let given = [self[header: "x-api-key"], self[parameter: "api_key"], basicUser]
    return given.lazy.compactMap(\.self).first { !$0.isEmpty }
  }

  private var basicUser: String? {
    guard let text = self[header: "authorization"], text.lowercased().hasPrefix("basic ") else { return nil }
    var bytes: [UInt8] = []
    var bits = 0
    var held = 0
    for letter in text.dropFirst(6).utf8 where letter != 0x3d && letter != 0x20 {
      guard let value = SkyRequest.base64.firstIndex(of: letter) else { return nil }
      held = (held << 6 | value) & 0xfff
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> bits))
      }
    }
    return String(decoding: bytes.prefix { $0 != 0x3a }, as: UTF8.self)
  }

  private static let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
