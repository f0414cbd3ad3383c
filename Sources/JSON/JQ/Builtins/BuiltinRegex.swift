// Builtins that search texts with regular expressions.

extension Builtins {
  static let regex: [String: Builtin] = [
    "test/2": .two { (value, pattern, flags, frame) throws(Exception) in
      let search = try Search(value, pattern, flags, frame.run)
      var isFound = false
      try search.run { (_) throws(Exception) in
        isFound = true
        return false
      }
      return .bool(isFound)
    },
    "_match/2": .two { (value, pattern, flags, frame) throws(Exception) in
      let search = try Search(value, pattern, flags, frame.run)
      var matches: [Value] = []
      var counter = CharacterCounter(search.text)
      try search.run { (region) throws(Exception) in
        try frame.run.step()
        try frame.run.charge(512)
        matches.append(search.match(region, &counter))
        return search.isGlobal
      }
      return .array(matches)
    },
    "_captures/0": .zero { (value, _) throws(Exception) in
      var groups: [Value] = []
      value.member("captures")?.forEachElement { groups.append($0) }
      return named(groups)
    },
    "sub/3": .form { (compiler, arguments, here) throws(ProgramError) in
      let replacement = try compiler.compile(arguments[1], here)
      let pattern = try compiler.compile(arguments[0], here)
      let flags = try compiler.compile(arguments[2], here)
      // With one text for each match one pass over the input will do.
      guard let text = replacement.single, replacement.isTotal, let makePattern = pattern.single,
        let makeFlags = flags.single
      else { return try compiler.callPrelude("sub", arguments, here) }
      return .single(total: pattern.isTotal && flags.isTotal) { (value, frame) throws(Exception) in
        guard let pattern = try makePattern(value, frame), let flags = try makeFlags(value, frame) else {
          return nil
        }
        return try substituted(value, pattern, flags, text, frame)
      }
    },
  ]
}

extension Builtins {
  /// The named groups of a match as an object.
  private static func named(_ captures: [Value]) -> Value {
    var named = Value.emptyObject
    for capture in captures {
      guard let name = capture.member("name").flatMap({ Key($0) }) else { continue }
      named.setMember(name, capture.member("string") ?? .null)
    }
    return named
  }

  /// The text with each match replaced by what an expression makes of its named groups.
  private static func substituted(
    _ value: Value, _ pattern: Value, _ flags: Value, _ replacement: One, _ frame: Frame
  ) throws(Exception) -> Value {
    let run = frame.run
    let search = try Search(value, pattern, flags, run)
    var counter = CharacterCounter(search.text)
    var result: Value = .null
    var previous = 0
    try search.run { (region) throws(Exception) in
      try run.step()
      let match = search.match(region, &counter)
      let insert = try replacement(named(match.member("captures")?.items ?? []), frame) ?? .null
      let begin = Int(region.beg[0])
      let gap = Value.string(Array(search.text[previous..<max(previous, begin)]))
      guard insert.isString || insert.isNull else { throw typeError(gap, insert, "cannot be added") }
      try add(gap, to: &result, run)
      try add(insert, to: &result, run)
      previous = Int(region.end[0])
      return search.isGlobal
    }
    if result.isNull { return value }
    try add(.string(Array(search.text[previous...])), to: &result, run)
    return result
  }
}
