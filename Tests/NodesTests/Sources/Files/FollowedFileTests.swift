import Expectations
import TestSupport
import Glibc
import Engine
import Language
import JSON
import Testing

@testable import Decode
@testable import Nodes
import System

/// A file followed by the test's own thread, step by step.
private final class Follower {
  let stop: StopSign
  var changes: [FileChange] = []
  var flaws: [BadText] = []
  /// How many values had been returned each time it reported that it had caught up.
  var caughtUp: [Int] = []
  private var count = 0
  private var file: FollowedFile?

  init(
    _ path: String, from start: FileFollower.Start = .beginning, cut: [ReadContent] = [], polls: Bool = false,
    limits: ReadLimits = ReadLimits()
  ) throws {
    stop = StopSign()
    file = FollowedFile(
      path, from: start, cut: cut, stop: stop, limits: limits, polls: polls,
      report: { [unowned self] in flaws.append($0) },
      note: { [unowned self] in changes.append($0) },
      caughtUp: { [unowned self] in caughtUp.append(count) })
  }

  /// The next batch, or none where it takes longer than `limit` milliseconds.
  func next(within limit: UInt32 = 5000) throws -> [String] {
    let wake = try StopAfter(limit, stop)
    defer { wake.cancel() }
    let batch = try file?.nextBatch().map(\.description) ?? []
    count += batch.count
    return batch
  }

  var offset: Int { file?.position.offset ?? 0 }
  var identity: FileIdentity? { file?.identity }
  var cut: [ReadContent] { file?.cut ?? [] }
}

/// Ends a wait that takes too long, so that a test fails and does not hang.
private final class StopAfter {
  private let early: StopSign
  private let job: Job

  init(_ limit: UInt32, _ stop: StopSign) throws {
    let early = StopSign()
    self.early = early
    job = Job { () throws(FileFailure) in
      var wait = pollfd(fd: early.descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&wait, 1, Int32(limit)) == 0 { stop.set() }
    }
  }

  func cancel() {
    early.set()
    job.wait()
  }
}

@Suite struct FollowedFileTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  @Test("what cannot be followed in the place of a file that was is waited for, and told once")
  func unreadable() throws {
    try folder.write("a", "1\n")
    let follower = try Follower(folder["a"])
    try expect(follower.next(), equals: ["1"])
    #expect(unlink(folder["a"]) == 0 && mkdir(folder["a"], 0o700) == 0)
    try expect(follower.next(within: 300), equals: [])
    expect(follower.changes, equals: [.unreadable(reason: "cannot follow: only plain files can be")])
  }

  @Test("once all values that existed at the start have been returned, it reports so, once")
  func caughtUp() throws {
    try folder.write("a", "1\n2\n{\"x\":")
    let follower = try Follower(folder["a"])
    try expect(follower.next(), equals: ["1", "2"])
    expect(follower.caughtUp, equals: [])
    try folder.append("a", "3}\n")
    try expect(follower.next(), equals: ["{\"x\":3}"])
    try folder.append("a", "4\n")
    try expect(follower.next(), equals: ["4"])
    try expect(follower.next(within: 50), equals: [])
    expect(follower.caughtUp, equals: [2])
  }

  @Test("it says so too where the file grows faster than it is read", arguments: [1, 7, 100])
  func caughtUpWithoutRest(batch: Int) throws {
    try folder.write("a", (1...50).map { "\($0)\n" }.joined())
    let follower = try Follower(folder["a"], limits: ReadLimits(chunk: 64, batch: batch))
    for number in 51...150 {
      try folder.append("a", (0..<30).map { _ in "\(number)\n" }.joined())
      _ = try follower.next()
    }
    // Values read together are returned together.
    expect(follower.caughtUp.count, equals: 1)
    #expect((50..<50 + 64).contains(follower.caughtUp.first ?? 0))
  }

  @Test("where nothing is there it says so before it waits", arguments: [nil, ""])
  func caughtUpWithNothing(text: String?) throws {
    if let text { try folder.write("a", text) }
    let follower = try Follower(folder["a"])
    try expect(follower.next(within: 50), equals: [])
    expect(follower.caughtUp, equals: [0])
  }

  @Test("the file that had the name before is read first", arguments: ["", "5\n", "5\n{"])
  func caughtUpThroughRotation(present: String) throws {
    try folder.write("a", "1\n2\n3")
    let identity = try #require(FileIdentity(at: folder["a"]))
    rename(folder["a"], folder["a.2"])
    try folder.write("a.1", "4\n")
    try folder.write("a", present)
    let follower = try Follower(folder["a"], from: .offset(2, of: identity))
    var read: [String] = []
    while case let batch = try follower.next(within: 50), !batch.isEmpty { read += batch }
    expect(read, equals: ["2", "3", "4"] + (present.isEmpty ? [] : ["5"]))
    expect(follower.caughtUp, equals: [read.count])
  }

  @Test("only whole lines are returned", arguments: [false, true])
  func wholeLines(polls: Bool) throws {
    try folder.write("a", "1\n2\n{\"x\":")
    let follower = try Follower(folder["a"], polls: polls)
    try expect(follower.next(), equals: ["1", "2"])
    expect(follower.offset, equals: 4)
    try folder.append("a", "3}\n")
    try expect(follower.next(), equals: ["{\"x\":3}"])
    try folder.append("a", "bad\n4\n")
    try expect(follower.next(), equals: ["4"])
    expect(follower.flaws.map(\.line), equals: [4])
    expect(follower.changes, equals: [])
  }

  @Test("stop ends a wait")
  func stops() throws {
    try folder.write("a", "")
    let follower = try Follower(folder["a"])
    try expect(follower.next(within: 50), equals: [])
    try expect(follower.next(), equals: [])
  }

  @Test("a file that is not there yet is waited for, even with its folder", arguments: ["a", "sub/a"])
  func missing(name: String) throws {
    let follower = try Follower(folder[name], from: .end)
    let folder = self.folder.path
    let writer = Job { () throws(FileFailure) in
      usleep(100_000)
      mkdir("\(folder)/sub", 0o755)
      try AppendFile("\(folder)/\(name)").append(Array("1\n".utf8))
    }
    try expect(follower.next(), equals: ["1"])
    expect(follower.changes, equals: [.missing, .begun])
    writer.wait()
  }

  @Test("a file that is moved away is read to its end before the one with its name")
  func rotation() throws {
    try folder.write("a", "1\n")
    let follower = try Follower(folder["a"])
    try expect(follower.next(), equals: ["1"])
    try folder.append("a", "2\n")
    rename(folder["a"], folder["a.1"])
    try folder.append("a.1", "3")
    try folder.write("a", "4\n")
    try expect(follower.next(), equals: ["2"])
    try expect(follower.next(), equals: ["3"])
    // The place of what was read last is in the file that it was in.
    expect(follower.offset, equals: 5)
    expect(follower.identity, equals: FileIdentity(at: folder["a.1"]))
    try expect(follower.next(), equals: ["4"])
    expect(follower.changes, equals: [.begun])
  }

  @Test("files that had the name only between two checks are also read")
  func rotatedTwice() throws {
    try folder.write("a", "1\n")
    let follower = try Follower(folder["a"])
    try expect(follower.next(), equals: ["1"])
    try rotate(to: "2\n")
    try rotate(to: "3\n")
    try expect(follower.next(), equals: ["2"])
    try expect(follower.next(), equals: ["3"])
  }

  @Test("a place in a file that was rotated is found by the file, and those behind it are read then")
  func rotatedBefore() throws {
    try folder.write("a", "1\n2\n")
    let identity = FileIdentity(at: folder["a"])
    try rotate(to: "3\n")
    try rotate(to: "4\n")
    let follower = try Follower(folder["a"], from: .offset(2, of: identity))
    try expect(follower.next(), equals: ["2"])
    try rotate(to: "5\n")
    try expect(follower.next(), equals: ["3"])
    // As it is while names move.
    rename(folder["a"], folder["b"])
    try expect(follower.next(), equals: ["4"])
    rename(folder["b"], folder["a"])
    try expect(follower.next(), equals: ["5"])
    expect(follower.changes, equals: [.begun, .begun, .begun])
  }

  @Test("where the file of a place is no more, the one with the name is read from its beginning")
  func replaced() throws {
    try folder.write("a", "1\n")
    let follower = try Follower(folder["a"], from: .offset(2, of: FileIdentity(device: 0, inode: 0)))
    try expect(follower.next(), equals: ["1"])
    expect(follower.changes.first, equals: .replaced)
  }

  @Test("where old files are numbered the other way round, none is read twice")
  func numberedUpwards() throws {
    try folder.write("a", "1\n")
    let follower = try Follower(folder["a"])
    try expect(follower.next(), equals: ["1"])
    for number in 2...4 {
      // File systems know their times to a few milliseconds only.
      usleep(20_000)
      rename(folder["a"], folder["a.\(number)"])
      try folder.write("a", "\(number)\n")
      try expect(follower.next(), equals: ["\(number)"])
    }
  }

  @Test(
    "a copy of what was read before a file was cut is known when the file is renamed later, also by the next run",
    arguments: [false, true])
  func copied(restarts: Bool) throws {
    let lines = (1...400).map { "\($0)\n" }
    try folder.write("a", lines.prefix(200).joined())
    var follower = try Follower(folder["a"])
    #expect(try follower.next().count == 200)
    usleep(20_000)
    // The copy has two lines more, of which the file was cut before they were read.
    try folder.write("a.1", lines.prefix(202).joined())
    try folder.write("a", lines[202])
    #expect(try follower.next() == ["203"])
    #expect(follower.changes == [.truncated])
    if restarts {
      let identity = FileIdentity(at: folder["a"])
      var position = ReadPosition(path: folder["a"], identity: try #require(identity))
      position.cut = follower.cut
      let cut = try #require(ReadPosition(position.value)).cut
      #expect(cut.count == 1)
      follower = try Follower(folder["a"], from: .offset(follower.offset, of: identity), cut: cut)
    }
    usleep(20_000)
    rename(folder["a"], folder["a.2"])
    try folder.write("a", "204\n")
    #expect(try follower.next() == ["201", "202"])
    #expect(follower.changes.contains(.copied(folder["a.1"])))
    #expect(try follower.next() == ["204"])
  }

  @Test("a file between that only begins alike is no copy, and is read")
  func alike() throws {
    try folder.write("a", "1\n2\n3\n")
    let follower = try Follower(folder["a"])
    #expect(try follower.next().count == 3)
    usleep(20_000)
    try folder.write("a.1", "1\n5\n3\n")
    try folder.write("a", "4\n")
    #expect(try follower.next() == ["4"])
    rename(folder["a"], folder["a.2"])
    try folder.write("a", "6\n")
    #expect(try follower.next() == ["1", "5", "3"])
    #expect(try follower.next() == ["6"])
  }

  /// Gives the file its next name, and others theirs, and begins another.
  private func rotate(to text: String) throws {
    usleep(20_000)
    for number in [2, 1] { rename(folder["a.\(number)"], folder["a.\(number + 1)"]) }
    rename(folder["a"], folder["a.1"])
    try folder.write("a", text)
  }

  @Test("a file that is removed and made again is followed again")
  func removal() throws {
    try folder.write("a", "1\n")
    let follower = try Follower(folder["a"])
    try expect(follower.next(), equals: ["1"])
    unlink(folder["a"])
    let path = folder["a"]
    let writer = Job { () throws(FileFailure) in
      usleep(100_000)
      try AppendFile(path).append(Array("2\n".utf8))
    }
    try expect(follower.next(), equals: ["2"])
    expect(follower.changes, equals: [.gone, .begun])
    writer.wait()
  }

  @Test("a truncated file is read from its beginning, with a report")
  func truncation() throws {
    try folder.write("a", "1\n2\n3\n")
    let follower = try Follower(folder["a"])
    try expect(follower.next(), equals: ["1", "2", "3"])
    try folder.write("a", "4\n")
    try expect(follower.next(), equals: ["4"])
    expect(follower.changes, equals: [.truncated])
  }

  @Test("following begins at the end, within a line with the next one, or where it ended before")
  func starts() throws {
    try folder.write("a", "1\n{\"x\"")
    let end = try Follower(folder["a"], from: .end)
    let place = try Follower(folder["a"], from: .offset(2))
    let past = try Follower(folder["a"], from: .offset(100))
    try expect(end.next(within: 50), equals: [])
    try expect(past.next(), equals: ["1"])
    expect(past.changes, equals: [.truncated])
    try folder.append("a", ":1}\n2\n")
    try expect(place.next(), equals: ["{\"x\":1}", "2"])
    expect(end.offset, equals: 6)
  }

  @Test("without changes there are no wake-ups")
  func sleeps() throws {
    try folder.write("a", "1\n")
    let follower = try Follower(folder["a"])
    _ = try follower.next()
    let before = switches()
    try expect(follower.next(within: 1500), equals: [])
    #expect(switches() - before <= 4)
  }

  @Test("a pipe is not followed")
  func pipe() throws {
    mkfifo(folder["a"], 0o600)
    let follower = try Follower(folder["a"])
    #expect(throws: FileFailure.self) { try follower.next() }
  }

  /// How often this thread has gone to sleep.
  private func switches() -> Int {
    var usage = rusage()
    getrusage(1, &usage)  // RUSAGE_THREAD
    return usage.ru_nvcsw
  }
}
