import JSON

/// Reads the JSON that a body is to be; says what it is where it is something else.
func readJSON(
  _ body: [UInt8], contentType: String?, status: Int, of request: Request, _ veil: Veil
) throws(FetchError) -> Value {
  do throws(ParseError) {
    return try Value.parse(body, .strict)
  } catch {
    let kind = BodyKind(body, contentType: contentType)
    let answered = "answered \(statusText(status)) with"
    // What breaks off in its middle, or before its start, may come whole the next time.
    let isTruncated = kind == .empty || error.isAtEnd && (kind == .json || body.first == 0x22)
    let words: String
    switch kind {
    case .empty: words = "\(answered) nothing where JSON was to be"
    case .json where isTruncated:
      words = "\(answered) JSON that breaks off after \(body.count) bytes: \(ending(of: body, veil))"
    case .json: words = "\(answered) what begins as JSON but is none: \(error)"
    default:
      let complaint = complaint(in: body, contentType: contentType, veil)
      let shown = kind == .html ? complaint ?? kind.rawValue : "\(kind.rawValue): \(complaint ?? "")"
      words = "\(answered) \(shown), where JSON was to be"
    }
    var failure = FetchError(isTruncated ? .truncated : .notJSON, request, words)
    failure.complaint = complaint(in: body, contentType: contentType, veil)
    throw failure
  }
}

private func ending(of body: [UInt8], _ veil: Veil) -> String {
  let end = excerpt(veil.masked(String(decoding: body.suffix(4096), as: UTF8.self)), limit: 4096)
  return "…\(end.suffix(40))"
}
