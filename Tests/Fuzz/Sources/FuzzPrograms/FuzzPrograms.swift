import Glibc
import JSON

/// Any bytes as a program, and what follows the first line break as its input.
///
/// Budgets end what does not end by itself.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPrograms(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let line = bytes.firstIndex(of: 0x0a) ?? bytes.count
  let text = String(decoding: bytes[..<line], as: UTF8.self)
  let input = (try? Value.parse(Array(bytes[min(line + 1, bytes.count)...]))) ?? .null
  guard let program = try? Program(text) else { return 0 }
  var environment = Environment()
  environment.now = 1_767_225_600
  environment.budget = Budget(steps: 100_000, memory: 256 << 20, seconds: 2) { seconds }
  var outputs = 0
  try? program.run(input, environment) { output in
    outputs += 1
    _ = output.description.utf8.count
    if outputs > 1000 { throw Enough() }
  }
  return 0
}

private struct Enough: Error {}

private var seconds: Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
