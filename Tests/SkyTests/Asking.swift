import JSON
import Testing

@testable import Sky

extension SkyService {
  /// What is answered to `GET` an address without its origin, query and all.
  func get(
    _ address: String, at now: SkyTime = LaunchWorld.start, headers: [(name: String, value: String)] = [],
    client: String = "127.0.0.1"
  ) throws -> SkyAnswer {
    try #require(answer(SkyRequest.get(address, headers: headers, client: client), at: now))
  }
}

extension SkyRequest {
  static func get(
    _ address: String, headers: [(name: String, value: String)] = [], client: String = "127.0.0.1"
  ) -> SkyRequest {
    let parts = address.split(separator: "?", maxSplits: 1).map(String.init)
    var query: [(name: String, value: String)] = []
    for pair in parts.dropFirst().joined().split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
      query.append((halves[0], halves.count == 2 ? halves[1].removingPercents : ""))
    }
    return SkyRequest(path: parts[0], query: query, headers: headers, origin: "http://sky", client: client)
  }
}

extension String {
  /// With `%2C` and its like made into what they stand for.
  fileprivate var removingPercents: String {
    let parts = split(separator: "%", omittingEmptySubsequences: false)
    var bytes = Array((parts.first ?? "").utf8)
    for part in parts.dropFirst() {
      bytes.append(UInt8(part.prefix(2), radix: 16) ?? 0x3f)
      bytes += Array(part.dropFirst(2).utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension SkyAnswer {
  var text: String { String(decoding: body, as: UTF8.self) }

  func value() throws -> Value { try Value.parse(body) }

  subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }
}

extension Value {
  /// The value at the end of some names.
  func at(_ names: String...) -> Value? {
    names.reduce(Optional(self)) { $0?.member($1) }
  }

  var names: [String] { keys.map { String(decoding: $0.bytes, as: UTF8.self) } }

  /// The texts of one member of each row of a page.
  func rows(_ name: String) -> [String] {
    (member("results")?.items ?? []).compactMap { $0.member(name)?.string }
  }
}
