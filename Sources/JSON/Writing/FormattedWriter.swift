/// The writer for everything that is not plain compact: indentation, sorted keys, ASCII, colours.
struct FormattedWriter {
  let options: WriteOptions
  let output: Output

  func write(_ value: Value, _ level: Int) {
    let color = options.colors?.of(value)
    if let color { output.put(color) }
    if level > Writer.depthLimit {
      output.put("<skipped: too deep>")
    } else {
      switch value.kind {
      case .array: writeArray(value, level, color)
      case .object: writeObject(value, level, color)
      case .string: _ = value.withText { output.putQuoted($0, ascii: options.asciiOnly) }
      default: writeCompact(value, to: output, level)
      }
    }
    if color != nil { output.put(Colors.reset) }
  }

  private func writeArray(_ value: Value, _ level: Int, _ color: [UInt8]?) {
    guard value.count != 0 else { return output.put("[]") }
    output.put(0x5b)
    var isFirst = true
    value.forEachElement { element in
      separate(&isFirst, level + 1, color)
      write(element, level + 1)
    }
    close(0x5d, level, color)
  }

  private func writeObject(_ value: Value, _ level: Int, _ color: [UInt8]?) {
    guard value.count != 0 else { return output.put("{}") }
    output.put(0x7b)
    var isFirst = true
    if options.sortKeys {
      value.forEachMemberSorted { key, member in
        separate(&isFirst, level + 1, color)
        writeMember(key, member, level + 1, color)
      }
    } else {
      value.forEachMember { key, member in
        separate(&isFirst, level + 1, color)
        writeMember(key, member, level + 1, color)
      }
    }
    close(0x7d, level, color)
  }

  private func writeMember(_ key: Value, _ value: Value, _ level: Int, _ color: [UInt8]?) {
    if let colors = options.colors { output.put(colors.key) }
    _ = key.withText { output.putQuoted($0, ascii: options.asciiOnly) }
    if let color {
      output.put(Colors.reset)
      output.put(color)
    }
    output.put(0x3a)
    if color != nil { output.put(Colors.reset) }
    if options.indent > 0 { output.put(0x20) }
    write(value, level)
  }

  /// What stands before an element: the comma after the one before it, and a new line.
  private func separate(_ isFirst: inout Bool, _ level: Int, _ color: [UInt8]?) {
    if !isFirst {
      if let color { output.put(color) }
      output.put(0x2c)
    }
    isFirst = false
    if color != nil { output.put(Colors.reset) }
    breakLine(level)
  }

  private func close(_ mark: UInt8, _ level: Int, _ color: [UInt8]?) {
    breakLine(level)
    if let color { output.put(color) }
    output.put(mark)
  }

  private func breakLine(_ level: Int) {
    guard options.indent > 0 else { return }
    output.put(0x0a)
    output.put(options.usesTabs ? 0x09 : 0x20, times: level * options.indent)
  }
}

extension Value {
  /// Members by the code points of their names.
  fileprivate func forEachMemberSorted(_ body: (_ key: Value, _ value: Value) -> Void) {
    if case .view(let document, let index) = self {
      for key in document.sortedKeys(at: Int(index)) { body(.view(document, key), .view(document, key + 1)) }
    } else {
      for key in sortedKeys { body(.string(key.bytes), member(key) ?? .null) }
    }
  }
}

extension Document {
  /// Where the keys of the object at an index are, by their code points.
  fileprivate func sortedKeys(at index: Int) -> [UInt32] {
    var keys: [UInt32] = []
    keys.reserveCapacity(count(at: index))
    let end = Tape.offset(tape[index])
    var at = index + 2
    while at < end {
      keys.append(UInt32(truncatingIfNeeded: at))
      at = Tape.next(tape, at + 1)
    }
    keys.sort { first, second in
      withText(tape[Int(first)]) { left in withText(tape[Int(second)]) { orderBytes(left, $0) } } < 0
    }
    return keys
  }
}
