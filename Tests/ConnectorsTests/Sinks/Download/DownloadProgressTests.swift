import Expectations
@testable import Connectors
@testable import Delivery
import Engine
import Glibc
import Reactive
import Testing

/// What the line on the terminal shows of downloads.
@Suite struct DownloadProgressTests {
  @Test("nothing in the first second, then bytes of all that run, and the line is removed at the end")
  func shown() {
    let shown = Locked<[String?]>([])
    let progress = DownloadProgress { now in shown.withLock { $0.append(now?.text) } }
    let first = progress.begin("out/a.jpg", at: 2_000_000, of: 10_000_000)
    progress.note(first, 1_000_000)
    #expect(shown.withLock { $0.isEmpty })
    let short = progress.begin("out/b.jpg", at: 0, of: nil)
    progress.end(short)
    #expect(shown.withLock { $0.isEmpty })
    usleep(1_050_000)
    progress.note(first, 1_000_000)
    let one = shown.withLock { $0.last ?? nil } ?? ""
    #expect(one.hasPrefix("out/a.jpg: 4 MB of 10 MB, ") && one.hasSuffix(" left") && one.contains("MB/s"))
    let second = progress.begin("out/c.jpg", at: 0, of: 20_000_000)
    usleep(250_000)
    progress.note(first, 1_000_000)
    #expect((shown.withLock { $0.last ?? nil } ?? "").hasPrefix("2 downloads: 5 MB of 30 MB, "))
    progress.end(first)
    #expect(shown.withLock { $0.last ?? nil } != nil)
    progress.end(second)
    expect(shown.withLock { $0.last }, equals: .some(nil))
  }

  @Test("without a size there is no time left")
  func unknownSize() {
    expect(ReadingProgress.text(5_000_000, of: nil, 5_000_000, in: .seconds(5)), equals: "5 MB, 1 MB/s")
    expect(ReadingProgress.text(5_000_000, of: nil, 0, in: .seconds(5)), equals: "5 MB")
  }
}
