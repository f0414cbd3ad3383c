import JSON

/// Any bytes as a text: every reader, and for what is JSON every writer, with the same value at the end of each way.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReading(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let strict = try? Value.parse(bytes, .strict)
  let value = try? Value.parse(bytes)
  if let strict { check(value.map { same($0, strict) } ?? false, "what is strictly JSON is JSON") }
  readInPieces(bytes, value)
  readEvents(bytes)
  readSequence(bytes)
  if let value { writeAndReadBack(value) }
  return 0
}

private func check(_ holds: Bool, _ claim: String) {
  if !holds { fatalError(claim) }
}

/// Not-a-number is not even equal to itself: the text decides.
private func same(_ a: Value, _ b: Value) -> Bool { a == b || a.description == b.description }

/// A source that hands out pieces whose sizes depend on what is in them.
private func source(_ bytes: [UInt8]) -> Reader.Source {
  var position = 0
  return { buffer in
    guard position < bytes.count else { return 0 }
    let size = min(Int(bytes[position] & 31) + 1, bytes.count - position, buffer.count)
    for place in 0..<size { buffer[place] = bytes[position + place] }
    position += size
    return size
  }
}

private func readInPieces(_ bytes: [UInt8], _ value: Value?) {
  let reader = Reader(chunkSize: 64, source: source(bytes))
  var values: [Value] = []
  do {
    while let next = try reader.next() { values.append(next) }
  } catch {
    check(value == nil, "a text read at once can be read in pieces")
  }
  if let value {
    check(values.count == 1 && values[0].description == value.description, "pieces give the same")
  }
}

private func readEvents(_ bytes: [UInt8]) {
  let events = EventReader(source: source(bytes))
  while let event = try? events.next() { _ = event.count }
}

private func readSequence(_ bytes: [UInt8]) {
  let sequence = SequenceReader(source: source(bytes))
  var mistakes = 0
  while mistakes <= bytes.count + 1 {
    do {
      guard try sequence.next() != nil else { return }
    } catch {
      mistakes += 1
    }
  }
  fatalError("a sequence has no more mistakes than bytes")
}

private func writeAndReadBack(_ value: Value) {
  let options: [WriteOptions] = [
    .compact, .pretty, WriteOptions(sortKeys: true), WriteOptions(indent: 1, usesTabs: true, asciiOnly: true),
  ]
  for option in options {
    let written = Writer(option).bytes(value)
    guard let again = try? Value.parse(written, .strict) else {
      fatalError("what is written is strictly JSON")
    }
    // The first writing may turn a number into a double; from then on it is a literal and stays as it is.
    let second = Writer(option).bytes(again)
    guard let last = try? Value.parse(second, .strict) else { fatalError("and so is what is written again") }
    check(Writer(option).bytes(last) == second, "writing again writes the same")
  }
  _ = Writer(WriteOptions(indent: 2, colors: .standard)).bytes(value)
  check(value.detach().description == value.description, "a detached value is the same")
  check(value.hashValue == value.detach().hashValue, "and hashes the same")
}
