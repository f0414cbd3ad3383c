import Language

/// Where to begin in a stream.
enum NATSStart: Sendable, Equatable {
  case beginning, end
  case sequence(UInt64)
  /// In seconds since 1970.
  case time(Double)

  static let type: OptionType<NATSStart> = {
    let text = OptionType<String>.text
    return OptionType<NATSStart>(
      "beginning, end, a sequence or a time", sample: "end",
      schema: .record([("type", .array(["string", "integer"]))])
    ) { node, checker in
      guard let text = text.decode(node, checker) else { return nil }
      if text == "beginning" { return .beginning }
      if text == "end" { return .end }
      if let number = UInt64(text), number > 0 { return .sequence(number) }
      if let time = parseTimestamp(text) { return .time(time) }
      checker.report(
        "\(quoted(text)) is not a place in a stream", at: node.place,
        hint: "beginning, end, a sequence such as 1200, or a time such as 2026-01-01T00:00:00Z")
      return nil
    }
  }()
}
