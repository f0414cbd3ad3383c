import Glibc
import JSON

@testable import Decode
@testable import Language

/// Any bytes as a text of each format, as it is, and as a part that is repeated: none crashes, and the time of decoding
/// grows with the text.
///
/// A byte 1 in a part is the number of its copy, so that names differ.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFormats(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 1 else { return 0 }
  let part = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  let number = Int(start[0]) % (formats.count + 1)
  if number == formats.count {
    readRESP(part)
    return 0
  }
  let (name, decoding) = formats[number]
  _ = time(decoding, part)
  let (text, longer) = (repeated(part, size: 4096), repeated(part, size: 4 * 4096))
  var (once, more) = (time(decoding, text), time(decoding, longer))
  // A slow moment of the machine is no slow decoder; what is too short to measure is fast.
  for _ in 0..<4 where isTooLong(more, once) {
    (once, more) = (max(once, time(decoding, text)), min(more, time(decoding, longer)))
  }
  if isTooLong(more, once) {
    fatalError("\(name): \(text.count) bytes took \(once), \(longer.count) of the same \(more)")
  }
  return 0
}

/// The values of the Redis protocol are the same however its bytes are cut, and so is what is wrong with them.
private func readRESP(_ bytes: [UInt8]) {
  func values(cut: Int) -> (values: [RESPValue], flaw: String?) {
    var reader = RESPReader(limit: 1 << 16)
    var values: [RESPValue] = []
    for start in stride(from: 0, to: bytes.count, by: cut) {
      do {
        try bytes[start..<min(start + cut, bytes.count)].withUnsafeBytes { try reader.take($0) }
      } catch { return (values, "\(error)") }
      while let value = reader.next() { values.append(value) }
    }
    return (values, nil)
  }
  let (whole, cut) = (values(cut: max(1, bytes.count)), values(cut: 1))
  // What comes before a flaw is given where it is taken by itself.
  if whole.flaw != cut.flaw || whole.flaw == nil && whole.values != cut.values {
    fatalError("RESP: \(whole) in one piece, \(cut) byte by byte")
  }
}

/// Four times the text takes four times as long, and a byte at most 20 µs under the fuzzer.
private func isTooLong(_ more: Duration, _ once: Duration) -> Bool {
  more > once * 8 + .milliseconds(10) || more > .microseconds(20) * (4 * 4096) + .milliseconds(50)
}

/// All formats with their defaults, and with the options that take other ways.
private let formats: [(name: String, decoding: Decoding)] =
  (TextFormat.all.map(\.name) + [
    "{ csv: { ragged: fill } }", "{ csv: { types: { a: number } } }", "{ text: { whole: true } }",
    "{ xml: { select: 'a:has(b), a ~ c' } }", "{ html: { select: 'a, b', fields: { t: ., h: .@html } } }",
  ]).map { name in
    guard let decoding = try? Decoding.option.value(of: name, from: "decode", in: Catalog([])) else {
      fatalError("\(name) is no format")
    }
    return (name, decoding)
  }

private func repeated(_ part: [UInt8], size: Int) -> [UInt8] {
  var text: [UInt8] = []
  text.reserveCapacity(size + 2 * part.count)
  var number = 0
  while text.count < size {
    for byte in part { if byte == 1 { text += Array("\(number)".utf8) } else { text.append(byte) } }
    number += 1
  }
  return text
}

/// The processor time that a text takes.
private func time(_ decoding: Decoding, _ text: [UInt8]) -> Duration {
  let start = now()
  _ = try? decoding.values(of: text)
  return now() - start
}

private func now() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
