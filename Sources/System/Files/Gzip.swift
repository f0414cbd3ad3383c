import CZ

/// zlib's text for an error, for messages.
package func gzipReason(_ code: Int32) -> String {
  zError(code).map { String(cString: $0) } ?? "error \(code)"
}
