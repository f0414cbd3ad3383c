import Expectations
@testable import Delivery
import Testing

/// What the line on the terminal shows of a file that is read.
@Suite struct ReadingProgressTests {
  @Test(
    "bytes, rate and the time left, as far as they are known",
    arguments: [
      (
        1_200_000_000, 3_400_000_000, 1_200_000_000, Duration.seconds(4),
        "1.2 GB of 3.4 GB, 300 MB/s, 8 s left"
      ),
      (5_000_000, 10_000_000, 5_000_000, .milliseconds(100), "5 MB of 10 MB"),
      (5_000_000, 10_000_000, 0, .seconds(3), "5 MB of 10 MB"),
      (900_000_000, 1_000_000_000, 100_000_000, .seconds(10), "900 MB of 1.0 GB, 10 MB/s, 11 s left"),
      (2_000_000, 1_000_000, 2_000_000, .seconds(2), "2 MB of 1 MB, 1 MB/s, 1 s left"),
    ])
  func text(_ read: Int, _ size: Int, _ fresh: Int, _ time: Duration, _ expected: String) {
    expect(ReadingProgress.text(read, of: size, fresh, in: time), equals: expected)
  }
}
