import JSON

/// As much of JSON Schema as pipelines' schemas use, to try them.
struct SchemaCheck {
  let root: JSON.Value

  /// Where and why a value is not what a schema asks for; nil when it is.
  func complaint(_ value: JSON.Value, _ schema: JSON.Value, at path: String = "") -> String? {
    if let name = schema.member("$ref")?.string {
      guard
        let definition = root.member("definitions")?.member(String(name.dropFirst("#/definitions/".count)))
      else {
        return "\(path): there is no \(name)"
      }
      return complaint(value, definition, at: path)
    }
    for part in schema.member("allOf")?.items ?? [] {
      if let found = complaint(value, part, at: path) { return found }
    }
    if let condition = schema.member("if") {
      let branch = complaint(value, condition, at: path) == nil ? "then" : "else"
      if let found = schema.member(branch).flatMap({ complaint(value, $0, at: path) }) { return found }
    }
    if let forms = schema.member("anyOf")?.items {
      let complaints = forms.map { complaint(value, $0, at: path) }
      if !complaints.contains(nil) { return complaints.compactMap(\.self).joined(separator: " and ") }
    }
    if let forms = schema.member("oneOf")?.items {
      if forms.count(where: { complaint(value, $0, at: path) == nil }) != 1 {
        return "\(path): not one of the forms"
      }
    }
    if let choices = schema.member("enum")?.items, !choices.contains(value) {
      return "\(path): not in the list"
    }
    if let type = schema.member("type") {
      let types = type.items?.compactMap(\.string) ?? [type.string ?? ""]
      if !types.contains(where: { isType(value, $0) }) { return "\(path): not \(types)" }
    }
    if let pattern = schema.member("pattern")?.string, let text = value.string {
      guard let regex = try? Regex(pattern) else { return "\(path): \(pattern) is no pattern" }
      if text.firstMatch(of: regex) == nil { return "\(path): not like \(pattern)" }
    }
    for name in schema.member("required")?.items ?? [] where value.member(name.string ?? "") == nil {
      return "\(path): without \(name)"
    }
    if let items = schema.member("items") {
      for (index, item) in (value.items ?? []).enumerated() {
        if let found = complaint(item, items, at: "\(path)/\(index)") { return found }
      }
    }
    return members(value, schema, path)
  }

  private func members(_ value: JSON.Value, _ schema: JSON.Value, _ path: String) -> String? {
    guard case .object = value.kind else { return nil }
    var found: String?
    value.forEachMember { key, member in
      let name = key.string ?? ""
      guard found == nil else { return }
      if let property = schema.member("properties")?.member(name) {
        found = complaint(member, property, at: "\(path)/\(name)")
      } else if hasPattern(of: name, schema) {
        return
      } else if let others = schema.member("additionalProperties") {
        found =
          others == .bool(false)
          ? "\(path): no \(name) here" : complaint(member, others, at: "\(path)/\(name)")
      }
    }
    return found
  }

  /// Whether the name is one of `patternProperties`, whose values may be anything.
  private func hasPattern(of name: String, _ schema: JSON.Value) -> Bool {
    schema.member("patternProperties")?.keys.contains { key in
      (try? Regex(key.name)).map { name.firstMatch(of: $0) != nil } ?? false
    } ?? false
  }

  private func isType(_ value: JSON.Value, _ name: String) -> Bool {
    switch value.kind {
    case .null: name == "null"
    case .array: name == "array"
    case .object: name == "object"
    case .string: name == "string"
    case .number:
      name == "number" || name == "integer" && value.description.allSatisfy { $0.isNumber || $0 == "-" }
    default: name == "boolean"
    }
  }
}
