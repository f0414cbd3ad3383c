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

  /// Warns of `$TOKEN` as a whole text, or as a word of one: a shell would replace it, and here it stays as it is.
  func warnOfShellVariable(in scalar: Scalar) {
    guard scalar.insertions.isEmpty, scalar.hasNoExpressions else { return }
    let words = scalar.text.split { $0 == " " || $0 == ":" }
    guard let name = words.lazy.compactMap({ self.nameOfVariable($0) }).first else { return }
    warn("this is a text, and not the variable of that name", at: scalar.place, hint: "write ${\(name)}")
  }

  /// The name in `$NAME`; nil for another text.
  private func nameOfVariable(_ word: Substring) -> Substring? {
    let name = word.dropFirst()
    guard word.first == "$", let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first),
      name.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || isWordByte($0) }), name == name.uppercased()
    else { return nil }
    return name
  }
}

extension OptionType {
  /// The same type, with a warning of `$NAME` where a value of the environment is likely to be meant.
  public var withoutShellVariables: OptionType {
    OptionType(name, sample: sample, schema: schema) { node, checker in
      if case .scalar(let scalar) = checker.resolved(node) { checker.warnOfShellVariable(in: scalar) }
      return decode(node, checker)
    }
  }
}
