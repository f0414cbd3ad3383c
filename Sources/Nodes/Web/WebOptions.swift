import Fetch
import Pipeline

/// What a request to any address may be given: who asks, in headers, and how much may come.
enum WebOptions {
  static let headers = Option(
    "headers", .mapping(of: .text), default: "{}", "headers of the request", example: "{ X-Client: flow }")
  static let bearer = Option.optional(
    "bearer", .secret, "a token for the header Authorization", example: "${TOKEN}")
  static let basic = Option.optional(
    "basic", .secret, "a name and password, with a colon between", example: "${USER_AND_PASSWORD}")
  static let maxSize = Option("max_size", .size, default: "64MiB", "how large an answer may be")

  static func apply(_ options: Options, to request: inout Request) {
    request.headers = options[headers].map { Header($0.name, $0.value) }
    if let token = options[bearer], !token.isEmpty {
      request.headers.append(Header("Authorization", "Bearer \(token)", isSecret: true))
    }
    if let pair = options[basic], !pair.isEmpty {
      request.headers.append(Header("Authorization", "Basic \(base64(Array(pair.utf8)))", isSecret: true))
    }
    request.limits.bodyBytes = options[maxSize]
  }
}
