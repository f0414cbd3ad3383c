extension Scalar {
  /// A text in braces that another program would replace, as `{{ .name }}` or `{name}`, and what stands for it here.
  func placeholder(doubled: Bool) -> (shown: String, meant: String)? {
    let (open, close) = doubled ? ("{{", "}}") : ("{", "}")
    guard hasNoExpressions, let start = text.place(of: open)?.upperBound,
      let end = text[start...].place(of: close)?.lowerBound
    else { return nil }
    let name = text[start..<end].split(separator: " ").joined(separator: " ")
    let isName = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "._-$".contains($0) }
    guard isName else { return nil }
    let member = name.hasPrefix(".") || name.hasPrefix("$") ? name : ".\(name)"
    return ("\(open)\(text[start..<end])\(close)", "\\(\(member))")
  }
}

extension Checker {
  /// Warns of a placeholder of another template language, which stays as it is.
  func warnOfPlaceholder(in scalar: Scalar, doubled: Bool, _ what: String) {
    guard let (shown, meant) = scalar.placeholder(doubled: doubled) else { return }
    warn("\(what) \(quoted(shown)) as it is", at: scalar.place, hint: "did you mean \(meant)?")
  }
}
