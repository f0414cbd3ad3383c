import Fetch
import Engine
import JSON
import Language
import System

/// The options of requests to addresses that the user chooses: headers, authorization, and the size limit of a response.
package enum WebOptions {
  package static let headers = Option(
    "headers", .mapping(of: .text.withoutShellVariables), default: "{}", "headers of the request",
    example: "{ X-Client: flow }")
  package static let bearer = Option.optional(
    "bearer", .secret, "a token for the header Authorization", example: "${TOKEN}")
  package static let basic = Option.optional(
    "basic", .secret, "a user name and password, separated by a colon", example: "${USER_AND_PASSWORD}")
  package static let allowHosts = Option(
    "allow_hosts", .list(of: .text), default: "[]",
    "other hosts that may receive `headers`, `bearer` and `basic` after a redirect or link",
    example: "[cdn.example.org]")
  package static let maxSize = Option("max_size", .size, default: "64MiB", "the size limit of a response")

  /// Sets the headers and the size limit of a request.
  package static func apply(_ options: Options, to request: inout Request) {
    apply(options, options[headers].map { Header($0.name, $0.value) }, to: &request)
  }

  /// The same with these headers in place of those of the option.
  package static func apply(_ options: Options, _ headers: [Header], to request: inout Request) {
    request.headers = headers + authorization(options)
    request.allowedHosts = Set(options[allowHosts].map { $0.lowercased() })
    request.limits.bodyBytes = options[maxSize]
    request.limits.bodyOption = maxSize.name
  }

  /// The header for a token, or for a user name and password; nil for an empty text.
  package static func authorization(_ options: Options) -> [Header] {
    var headers: [Header] = []
    if let token = options[bearer], !token.isEmpty {
      headers.append(Header("Authorization", "Bearer \(token)", isSecret: true))
    }
    if let pair = options[basic], !pair.isEmpty {
      headers.append(Header("Authorization", "Basic \(base64(Array(pair.utf8)))", isSecret: true))
    }
    return headers
  }

  /// Reports errors in the address of a node's requests.
  package static func check(_ text: String, at place: SourceRange, _ checker: Checker) {
    do throws(Sentence) { _ = try Address(text) } catch { checker.report("\(error)", at: place) }
  }

  /// Reports an address whose host is invalid or depends on data.
  package static func check(_ address: AddressTemplate, at place: SourceRange, _ checker: Checker) {
    if address.hasFixedHost {
      check(address.opening, at: place, checker)
    } else {
      checker.report(
        "the host must not depend on data", at: place,
        hint: #"write the host out, as in https://example.org/hooks/\(.id)"#)
    }
  }
}

extension AddressTemplate {
  /// The texts that the expressions of the address give for an event, by the evaluation of `values`; nil if
  /// one of them is null.
  package static func data(by values: Evaluation, _ event: Event) throws -> [String]? {
    var data: [String] = []
    for value in try values.first(event)?.items ?? [] {
      switch value.kind {
      case .null: return nil
      case .object, .array:
        throw Sentence("this value cannot be part of an address: \(value.description.prefix(60))")
      default: data.append(value.string ?? value.description)
      }
    }
    return data
  }

  /// The fixed parts of the address: before, between and after its expressions.
  package func texts(by evaluation: Evaluation) throws -> [String] {
    let nothing = Event(.null, Poll(source: "", at: 0))
    return (try evaluation.first(nothing)?.items ?? []).compactMap(\.string)
  }
}

/// Bytes in base64, as used in the header Authorization.
package func base64(_ bytes: [UInt8]) -> String {
  String(decoding: Radix.base64.encode(bytes), as: UTF8.self)
}
