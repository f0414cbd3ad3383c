import JSON
import System

/// Parses a body that should be JSON; the error says what the body is instead.
func readJSON(
  _ body: [UInt8], contentType: String?, status: Int, of request: Request, _ redaction: Redaction
) throws(FetchError) -> Value {
  let charset = charset(ofType: contentType)
  let served = Result { () throws(Sentence) in try servedText(body, charset: charset) }
  let value: Value
  do throws(ParseError) {
    value = try Value.parse((try? served.get()) ?? body, .strict)
  } catch {
    let kind = BodyKind(body, contentType: contentType)
    let answered = "answered \(statusText(status)) with"
    // A body that ends early, or is empty, may be complete the next time.
    let isTruncated = kind == .empty || error.isAtEnd && (kind == .json || body.first == 0x22)
    let words: String
    switch kind {
    case .empty: words = "\(answered) an empty body instead of JSON"
    case .json where isTruncated:
      words = "\(answered) JSON that ends after \(body.count) bytes: \(ending(of: body, redaction))"
    case .json: words = "\(answered) invalid JSON: \(error)"
    default:
      let message = errorMessage(in: body, contentType: contentType, redaction)
      let shown = kind == .html ? message ?? kind.rawValue : "\(kind.rawValue): \(message ?? "")"
      words = "\(answered) \(shown) instead of JSON"
    }
    var failure = FetchError(isTruncated ? .truncated : .notJSON, request, words)
    failure.serverMessage = errorMessage(in: body, contentType: contentType, redaction)
    throw failure
  }
  // Letters that are not known would have been replaced.
  if case .failure(let flaw) = served {
    throw FetchError(.notJSON, request, "answered \(statusText(status)) with JSON: \(flaw)")
  }
  return value
}

private func ending(of body: [UInt8], _ redaction: Redaction) -> String {
  let end = excerpt(redaction.masked(String(decoding: body.suffix(4096), as: UTF8.self)), limit: 4096)
  return "…\(end.suffix(40))"
}
