import Reactive

/// Runs work on several threads at once, this one among them, and returns the results in order.
///
///     let states = concurrently(paths.count, threads: 16) { index in open(paths[index]) }
///
/// For work that waits, as for a disk; a single piece is done without another thread.
package func concurrently<Result: Sendable>(
  _ count: Int, threads: Int, _ body: @escaping @Sendable (Int) -> Result
) -> [Result] {
  let work = ConditionLock(
    (started: 0, finished: 0, results: [Result?](repeating: nil, count: count)))
  let run: @Sendable () -> Void = {
    while true {
      let next = work.change { work in
        defer { work.started += 1 }
        return work.started
      }
      if next >= count { return }
      let result = body(next)
      work.change { work in
        work.results[next] = result
        work.finished += 1
      }
    }
  }
  for _ in 1..<max(1, min(threads, count)) { _ = startThread(named: "start", run) }
  run()
  return work.wait { work in work.finished == count ? work.results.compactMap { $0 } : nil } ?? []
}
