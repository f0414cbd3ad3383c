import Glibc
import JSON
import Pipeline

/// `stdin`: JSON values from standard input.
let stdin = NodeSpec(
  "stdin", "read JSON values from standard input, to its end",
  examples: [.init("a filter in a shell pipe", "stdin:")],
  .stream { _, _ in StandardInput() })

private final class StandardInput: StreamSource {
  func run(_ feed: Feed) throws {
    let reader = Reader { buffer in
      while true {
        let count = read(0, buffer.baseAddress, buffer.count)
        if count >= 0 || errno != EINTR { return max(0, count) }
      }
    }
    var values: [Value] = []
    while let value = try reader.next() {
      values.append(value)
      if values.count >= 256 {
        feed.send(values)
        values.removeAll(keepingCapacity: true)
      }
      if feed.isStopped { break }
    }
    feed.send(values)
  }
}
