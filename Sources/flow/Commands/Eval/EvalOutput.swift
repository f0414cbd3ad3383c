import JSON

/// Writes the outputs of `flow eval` to standard output.
final class EvalOutput {
  let output: Output
  private let writer: Writer
  private let options: EvalOptions
  /// Whether the last output was neither false nor null; nil before the first.
  private(set) var lastWasTruthy: Bool?

  init(_ options: EvalOptions, colors: Colors?) {
    self.options = options
    output = StandardOutput.buffer
    writer = Writer(
      WriteOptions(
        indent: options.indent, usesTabs: options.usesTabs, sortKeys: options.sortKeys,
        asciiOnly: options.asciiOutput, colors: colors))
  }

  /// Whether nothing can be written any more.
  var hasFailed: Bool { output.hasFailed }

  /// A string that contains NUL, which separates the outputs.
  struct NULInText: Error {}

  @inline(__always)
  func write(_ value: Value) throws {
    lastWasTruthy = value.isTruthy
    if options.rawOutput, value.isString, !options.asciiOutput {
      try writeRaw(value)
    } else {
      if options.sequence { output.put(0x1e) }
      writer.write(value, to: output)
    }
    if options.nulOutput {
      output.put(0)
    } else if !options.joinOutput {
      output.put(0x0a)
    }
    if options.unbuffered { output.flush() }
  }

  private func writeRaw(_ value: Value) throws {
    try value.withText { text in
      if options.nulOutput, text.contains(0) { throw NULInText() }
      output.put(text)
    }
  }

  func flush() { output.flush() }
}
