/// Writes values as JSON.
///
///     Writer(.compact).text(value)          // {"a":1}
///     Writer(WriteOptions(indent: 2)).write(value, to: output)
public struct Writer: Sendable {
  let options: WriteOptions
  /// Compact without other options: clean views are copied whole.
  private let isPlain: Bool

  /// Containers nested deeper are left out, as in jq.
  static let depthLimit = 10_000

  public init(_ options: WriteOptions) {
    self.options = options
    isPlain = options.indent == 0 && !options.sortKeys && !options.asciiOnly && options.colors == nil
  }

  @inline(__always)
  public func write(_ value: Value, to output: Output) {
    withStack(for: value.nesting) {
      if isPlain {
        writeCompact(value, to: output, 0)
      } else {
        FormattedWriter(options: options, output: output).write(value, 0)
      }
    }
  }

  /// The value as JSON text in UTF-8.
  public func bytes(_ value: Value) -> [UInt8] {
    let output = Output(capacity: 256)
    write(value, to: output)
    return output.bytes
  }

  /// The value as JSON text.
  public func text(_ value: Value) -> String { String(decoding: bytes(value), as: UTF8.self) }
}

/// The options of a writer.
public struct WriteOptions: Sendable {
  /// Spaces, or tabs, per level; 0 for everything on one line.
  public var indent: Int
  public var usesTabs: Bool
  public var sortKeys: Bool
  /// Everything beyond ASCII as `\u` escapes.
  public var asciiOnly: Bool
  public var colors: Colors?

  public init(
    indent: Int = 0, usesTabs: Bool = false, sortKeys: Bool = false, asciiOnly: Bool = false,
    colors: Colors? = nil
  ) {
    self.indent = indent
    self.usesTabs = usesTabs
    self.sortKeys = sortKeys
    self.asciiOnly = asciiOnly
    self.colors = colors
  }

  public static let compact = WriteOptions()
  public static let pretty = WriteOptions(indent: 2)
}

extension Value {
  /// The value as compact JSON, as jq's `tojson` writes it.
  public var json: [UInt8] { Writer(.compact).bytes(self) }
}

extension Value: CustomStringConvertible {
  /// The value as compact JSON.
  public var description: String { Writer(.compact).text(self) }
}

// MARK: - Compact

func writeCompact(_ value: Value, to output: Output, _ level: Int) {
  switch value {
  case .view(let document, let index): document.writeCompact(Int(index), to: output, level)
  case .null: output.put("null")
  case .bool(let flag): if flag { output.put("true") } else { output.put("false") }
  case .number(let double): output.putDouble(double)
  case .literal(let literal): output.put(literal.text)
  case .string(let bytes): bytes.withUnsafeBufferPointer { output.putQuoted($0, ascii: false) }
  case .array(let storage):
    if tooDeep(level, output) { return }
    output.put(0x5b)
    var isFirst = true
    for item in storage.items {
      if !isFirst { output.put(0x2c) }
      isFirst = false
      writeCompact(item, to: output, level + 1)
    }
    output.put(0x5d)
  case .object(let storage):
    if tooDeep(level, output) { return }
    let shape = storage.shape
    output.put(0x7b)
    if let names = shape.written {
      storage.values.withUnsafeBufferPointer { values in
        for place in 0..<values.count {
          if place > 0 { output.put(0x2c) }
          output.put(names[place])
          writeCompact(values[place], to: output, level + 1)
        }
      }
    } else {
      var isFirst = true
      for place in 0..<storage.values.count where !shape.isRemoved(place) {
        if !isFirst { output.put(0x2c) }
        isFirst = false
        output.putKey(shape.keys[place])
        output.put(0x3a)
        writeCompact(storage.values[place], to: output, level + 1)
      }
    }
    output.put(0x7d)
  case .projection(let projection):
    if tooDeep(level, output) { return }
    output.put(0x7b)
    for number in 0..<projection.count {
      if number > 0 { output.put(0x2c) }
      output.put(projection.names[number])
      if let place = projection.place(number) {
        projection.document.writeCompact(place, to: output, level + 1)
      } else {
        output.put("null")
      }
    }
    output.put(0x7d)
  }
}

private func tooDeep(_ level: Int, _ output: Output) -> Bool {
  guard level > Writer.depthLimit else { return false }
  output.put("<skipped: too deep>")
  return true
}

extension Output {
  @inline(__always)
  func putKey(_ key: Key) {
    key.bytes.withUnsafeBufferPointer { name in
      if key.isPlain {
        put(0x22)
        put(name)
        put(0x22)
      } else {
        putQuoted(name, ascii: false)
      }
    }
  }
}

extension TapeDocument {
  /// The value at an index of the tape: a copy of its bytes unless they are dirty.
  @inline(__always)
  func writeCompact(_ index: Int, to output: Output, _ level: Int) {
    let word = tape[index]
    if Tape.isDirty(word) { return writeDirty(index, to: output, level) }
    switch Tape.kind(word) {
    case Tape.string, Tape.key: output.put(raw + Tape.offset(word) - 1, stringLength(word) + 2)
    case Tape.array, Tape.object: output.put(containerText(at: index))
    default: output.put(raw + Tape.offset(word), Tape.length(word))
    }
  }

  func writeDirty(_ index: Int, to output: Output, _ level: Int) {
    let word = tape[index]
    switch Tape.kind(word) {
    case Tape.string, Tape.key: withText(word) { output.putQuoted($0, ascii: false) }
    case Tape.integer, Tape.decimal: output.putNumber(numberText(word))
    case Tape.array:
      let end = Tape.offset(word)
      var at = index + 2
      output.put(0x5b)
      while at < end {
        if at > index + 2 { output.put(0x2c) }
        writeCompact(at, to: output, level + 1)
        at = Tape.next(tape, at)
      }
      output.put(0x5d)
    default:
      let end = Tape.offset(word)
      var at = index + 2
      output.put(0x7b)
      while at < end {
        if at > index + 2 { output.put(0x2c) }
        writeCompact(at, to: output, level + 1)
        output.put(0x3a)
        writeCompact(at + 1, to: output, level + 1)
        at = Tape.next(tape, at + 1)
      }
      output.put(0x7d)
    }
  }
}

extension Output {
  /// A number literal in canonical form.
  @inline(never)
  func putNumber(_ text: ByteView) {
    guard let decimal = Decimal(text) else { return put(text) }
    switch decimal.form {
    case .finite: put(decimal.canonicalText())
    case .notANumber: put("null")
    case .infinite: putDouble(decimal.isNegative ? -Double.infinity : Double.infinity)
    }
  }
}
