import CYAML

/// An event of libyaml, with its bytes in the file.
struct YAMLEvent {
  enum Kind {
    case documentStart
    case documentEnd
    case streamEnd
    case alias(String)
    case scalar([UInt8], Scalar.Style)
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
  }

  var kind: Kind
  var range: Range<Int>
  var anchor: String?
  var tag: String?
}

/// A syntax error as libyaml reports it.
struct SyntaxError: Error {
  var problem: String
  var offset: Int
  /// Where the thing began that could not be ended, and what it was.
  var contextOffset: Int
  var context: String
}

/// libyaml's events over a part of a file, with byte offsets for its marks, which count characters.
struct EventStream: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>
  private let base: Int
  /// The byte of each character, where they are not the same.
  private let characterStarts: [Int]?

  init(_ bytes: ArraySlice<UInt8>) throws(SyntaxError) {
    base = bytes.startIndex
    characterStarts = bytes.contains { $0 >= 0x80 } ? bytes.indices.filter { bytes[$0] & 0xC0 != 0x80 } : nil
    input = UnsafeMutableBufferPointer.allocate(capacity: bytes.count + 1)
    _ = input.initialize(from: bytes)
    input[bytes.count] = 0
    parser = UnsafeMutablePointer.allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    _ = yaml_parser_initialize(parser)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, UnsafePointer(input.baseAddress), bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
  }

  private func offset(_ mark: yaml_mark_t) -> Int {
    let end = base + input.count - 1
    guard let characterStarts else { return min(base + Int(mark.index), end) }
    return mark.index < characterStarts.count ? characterStarts[Int(mark.index)] : end
  }

  func next() throws(SyntaxError) -> YAMLEvent {
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else {
        throw SyntaxError(
          problem: parser.pointee.problem.map { String(cString: $0) } ?? "out of memory",
          offset: offset(parser.pointee.problem_mark), contextOffset: offset(parser.pointee.context_mark),
          context: parser.pointee.context.map { String(cString: $0) } ?? "")
      }
      defer { yaml_event_delete(&event) }
      if let read = read(event) { return read }
    }
  }

  private func read(_ event: yaml_event_t) -> YAMLEvent? {
    var anchor: UnsafeMutablePointer<yaml_char_t>?
    var tag: UnsafeMutablePointer<yaml_char_t>?
    let kind: YAMLEvent.Kind
    switch event.type {
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    case YAML_STREAM_END_EVENT: kind = .streamEnd
    case YAML_ALIAS_EVENT: kind = .alias(event.data.alias.anchor.map { String(cString: $0) } ?? "")
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      (anchor, tag) = (scalar.anchor, scalar.tag)
      kind = .scalar(
        Array(UnsafeBufferPointer(start: scalar.value, count: Int(scalar.length))), style(scalar.style))
    case YAML_SEQUENCE_START_EVENT:
      (anchor, tag) = (event.data.sequence_start.anchor, event.data.sequence_start.tag)
      kind = .sequenceStart
    case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
    case YAML_MAPPING_START_EVENT:
      (anchor, tag) = (event.data.mapping_start.anchor, event.data.mapping_start.tag)
      kind = .mappingStart
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    default: return nil
    }
    let start = offset(event.start_mark)
    return YAMLEvent(
      kind: kind, range: start..<max(start, offset(event.end_mark)),
      anchor: anchor.map { String(cString: $0) }, tag: tag.map { String(cString: $0) })
  }

  private func style(_ style: yaml_scalar_style_t) -> Scalar.Style {
    switch style {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
    case YAML_LITERAL_SCALAR_STYLE: .literal
    case YAML_FOLDED_SCALAR_STYLE: .folded
    default: .plain
    }
  }
}
