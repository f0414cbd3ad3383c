import Fetch
import Engine
import Language

/// What a request to any address may be given: who asks, in headers, and how much may come.
enum WebOptions {
  static let headers = Option(
    "headers", .mapping(of: .text), default: "{}", "headers of the request", example: "{ X-Client: flow }")
  static let bearer = Option.optional(
    "bearer", .secret, "a token for the header Authorization", example: "${TOKEN}")
  static let basic = Option.optional(
    "basic", .secret, "a name and password, with a colon between", example: "${USER_AND_PASSWORD}")
  static let maxSize = Option("max_size", .size, default: "64MiB", "how large an answer may be")

  /// Gives a request its headers and its limit.
  static func apply(_ options: Options, to request: inout Request) {
    request.headers = options[headers].map { Header($0.name, $0.value) } + authorization(options)
    request.limits.bodyBytes = options[maxSize]
  }

  /// The header that a token, or a name and password, make; an empty text is as good as none.
  static func authorization(_ options: Options) -> [Header] {
    var headers: [Header] = []
    if let token = options[bearer], !token.isEmpty {
      headers.append(Header("Authorization", "Bearer \(token)", isSecret: true))
    }
    if let pair = options[basic], !pair.isEmpty {
      headers.append(Header("Authorization", "Basic \(base64(Array(pair.utf8)))", isSecret: true))
    }
    return headers
  }

  /// Reports an address whose host is no address, or is made of data.
  static func check(_ address: AddressTemplate, at place: Place, _ checker: Checker) {
    if address.hasFixedHost {
      checkAddress(address.opening, at: place, checker)
    } else {
      checker.report(
        "data cannot choose where requests go", at: place,
        hint: #"write the host out, as in https://example.org/hooks/\(.id)"#)
    }
  }
}
