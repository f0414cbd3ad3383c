import JSON

extension Value {
  /// The error that a response reports about itself, as APIs do that always respond 200; nil for any other value.
  ///
  ///     {"error": "backend down"}
  ///     {"success": false, "data": null}
  ///     {"code": 503, "message": "come back later"}
  ///
  /// A message alone is an error only in an object that has no members but those of errors.
  package var reportedError: String? {
    guard kind == .object else { return nil }
    for name in ["error", "errors"] {
      if let found = member(name), found.saysSomething { return found.string ?? "\(found)" }
    }
    if ["success", "ok"].contains(where: { member($0) == .bool(false) }) {
      return messageText ?? description
    }
    let isEnvelope = keys.allSatisfy { Value.envelopeNames.contains($0.name.lowercased()) }
    return isEnvelope ? messageText : nil
  }

  private var messageText: String? {
    ["message", "msg", "detail", "error_description"].lazy.compactMap { member(Key($0))?.string }
      .first { !$0.isEmpty }
  }

  /// Whether it is more than null, false, zero or empty.
  private var saysSomething: Bool {
    guard isTruthy else { return false }
    return string?.isEmpty != true && double != 0 && description != "[]" && description != "{}"
  }

  private static let envelopeNames: Set = [
    "code", "detail", "details", "error", "error_code", "error_description", "errors", "instance", "message",
    "msg",
    "path", "request_id", "requestid", "status", "statuscode", "status_code", "timestamp", "title", "type",
  ]
}
