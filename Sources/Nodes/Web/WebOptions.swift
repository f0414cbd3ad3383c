import Fetch
import Pipeline

/// The options by which nodes say who they are to a server, and how long it may take.
enum WebOptions {
  static let bearer = Option.optional(
    "bearer", .secret, "a token for the header Authorization", example: "${TOKEN}")
  static let basic = Option.optional(
    "basic", .secret, "a name and password, with a colon between", example: "${USER_AND_PASSWORD}")

  /// The header that the two make; an empty text is as good as none.
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
}
