import TestSupport
import Glibc
import Reactive
import Testing

@testable import Nodes
import System

@Suite(.serialized, .timeLimit(.minutes(2))) struct CommandPoolTests {
  private struct Line: Equatable {
    let id: Int64
    let end: ChildEnd
    let attempts: Int

    init(_ id: Int64, _ end: ChildEnd, _ attempts: Int) {
      self.id = id
      self.end = end
      self.attempts = attempts
    }
  }

  private let journal = Journal<Line>()
  private let quick = Backoff(initial: .milliseconds(20), factor: 2, jitter: 0)
  private var soon: Instant { SystemClock.now + .seconds(20) }

  private func pool(
    concurrency: Int = 1, capacity: Int = 100, attempts: Int = 1,
    onErrorLine: @escaping CommandPool.ErrorLine = { _, _ in }
  ) -> CommandPool {
    CommandPool(
      concurrency: concurrency, capacity: capacity, attempts: attempts, patience: quick,
      onErrorLine: onErrorLine
    ) { [journal] id, end, attempts in journal.note(Line(id, end, attempts)) }
  }

  @Test("jobs run with their input and variables, and come out in order")
  func order() {
    let folder = Folder()
    let pool = pool()
    for id in 1...20 {
      let command = shell("echo $(cat) $ID >> \(folder.path)/log")
      #expect(
        pool.submit(.init(id: Int64(id), command: command, input: [0x78], environment: ["ID": "\(id)"])))
    }
    #expect(pool.drain(until: soon))
    #expect(journal.entries == (1...20).map { Line($0, .exited(0), 1) })
    #expect(contents(of: folder.path + "/log") == (1...20).map { "x \($0)\n" }.joined())
  }

  @Test("as many run at once as may, not one more, on threads that say what they are", arguments: [1, 3])
  func concurrency(_ number: Int) {
    let folder = Folder()
    let pool = pool(concurrency: number)
    for id in 1...6 {
      // Each leaves a file while it runs, and notes how many there are.
      let line = "cd \(folder.path); : > run.$$; sleep 0.15; ls run.* | wc -l >> seen; rm run.$$"
      #expect(pool.submit(.init(id: Int64(id), command: shell(line))))
    }
    let named = eventually {
      let tasks = names(in: "/proc/self/task").map { contents(of: "/proc/self/task/\($0)/comm") }
      return tasks.count { $0 == "flow-exec\n" } >= number
    }
    #expect(named)
    #expect(pool.drain(until: soon))
    let seen = contents(of: folder.path + "/seen").split(separator: "\n").compactMap { Int($0) }
    #expect(seen.count == 6)
    #expect(seen.max() == number)
  }

  @Test("what fails is tried again, waiting longer each time, and stays before what came later")
  func retries() {
    let folder = Folder()
    let pool = pool(attempts: 3)
    let count = "echo >> \(folder.path)/tries; exit $(( $(wc -l < \(folder.path)/tries) < 3 ))"
    let took = elapsed {
      #expect(pool.submit(.init(id: 1, command: shell(count))))
      #expect(pool.submit(.init(id: 2, command: shell("exit 9"))))
      #expect(pool.submit(.init(id: 3, command: shell("sleep 100", timeout: .milliseconds(50)))))
      #expect(pool.submit(.init(id: 4, command: ChildCommand(arguments: ["/no/such"]))))
      #expect(pool.drain(until: soon))
    }
    #expect(took >= .milliseconds(3 * 60 + 150))
    let missing = ChildEnd.couldNotStart(
      reason: "cannot start /no/such: there is no /no/such", mayPass: false)
    #expect(
      journal.entries == [
        Line(1, .exited(0), 3), Line(2, .exited(9), 3), Line(3, .timedOut, 3), Line(4, missing, 1),
      ])
  }

  @Test("when as many wait as may, no more are taken until there is room")
  func full() {
    let pool = pool(capacity: 2)
    let folder = Folder()
    #expect(pool.submit(.init(id: 1, command: shell(": > \(folder.path)/runs; sleep 0.3"))))
    #expect(eventually { names(in: folder.path) == ["runs"] })
    var taken: Int64 = 1
    while pool.submit(.init(id: taken + 1, command: shell("exit 0"))) { taken += 1 }
    #expect(taken == 3)
    #expect(!pool.waitForRoom(until: SystemClock.now))
    while taken < 5 {
      #expect(pool.waitForRoom(until: soon))
      if pool.submit(.init(id: taken + 1, command: shell("exit 0"))) { taken += 1 }
    }
    #expect(pool.drain(until: soon))
    #expect(journal.entries.map(\.id) == [1, 2, 3, 4, 5])
  }

  @Test("a drain that runs out of time kills what runs, and reports all as stopped")
  func drainInVain() {
    let pool = pool(concurrency: 2)
    for id in 1...5 { #expect(pool.submit(.init(id: Int64(id), command: shell("trap '' TERM; sleep 100")))) }
    let took = elapsed {
      #expect(!pool.drain(until: SystemClock.now + .milliseconds(200)))
    }
    #expect(took >= .milliseconds(200))
    #expect(took < .seconds(10))
    #expect(journal.entries.map(\.id).sorted() == [1, 2, 3, 4, 5])
    #expect(journal.entries.allSatisfy { $0.end == .stopped && $0.attempts == ($0.id <= 2 ? 1 : 0) })
    #expect(!pool.submit(.init(id: 6, command: shell("exit 0"))))
    #expect(!pool.waitForRoom())
  }

  @Test("a stop ends runs, waits between attempts and who waits for room")
  func stop() {
    let pool = CommandPool(
      capacity: 1, attempts: 5, patience: Backoff(initial: .seconds(100), cap: .seconds(100), jitter: 0)
    ) { [journal] id, end, attempts in journal.note(Line(id, end, attempts)) }
    let folder = Folder()
    let waited = Journal<Bool>()
    #expect(pool.submit(.init(id: 1, command: shell(": > \(folder.path)/ran; exit 1"))))
    #expect(eventually { names(in: folder.path) == ["ran"] })
    #expect(pool.submit(.init(id: 2, command: shell("exit 0"))))
    inBackground { waited.note(pool.waitForRoom()) }
    usleep(50_000)
    #expect(waited.entries.isEmpty)
    pool.stop()
    #expect(eventually { journal.entries.count == 2 })
    #expect(journal.entries == [Line(1, .stopped, 1), Line(2, .stopped, 0)])
    #expect(eventually { waited.entries == [false] })
  }

  @Test("letting go of it stops it, and its threads end")
  func letGo() {
    do {
      let pool = pool()
      #expect(pool.submit(.init(id: 1, command: shell("sleep 100"))))
    }
    #expect(eventually { journal.entries.map(\.id) == [1] })
  }

  @Test("what jobs say on their standard error comes with the job's id")
  func errorLines() {
    let lines = Journal<String>()
    let pool = pool(onErrorLine: { lines.note("\($0): \($1)") })
    for id in 1...2 { #expect(pool.submit(.init(id: Int64(id), command: shell("echo oh >&2")))) }
    #expect(pool.drain(until: soon))
    #expect(lines.entries == ["1: oh", "2: oh"])
  }

  @Test("a report may hand in the next job")
  func chained() {
    let pools = Journal<CommandPool>()
    let pool = CommandPool { [journal] id, end, attempts in
      journal.note(Line(id, end, attempts))
      if id < 3 { _ = pools.entries.first?.submit(.init(id: id + 1, command: shell("exit 0"))) }
    }
    pools.note(pool)
    #expect(pool.submit(.init(id: 1, command: shell("exit 0"))))
    #expect(eventually { journal.entries.map(\.id) == [1, 2, 3] })
    #expect(pool.drain(until: soon))
  }
}
