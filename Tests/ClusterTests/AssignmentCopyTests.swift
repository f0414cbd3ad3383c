import Expectations
import SimulatedJournal
import Store
import TestSupport
import Testing

@testable import Cluster

/// The copy of an assignment out of a journal, and its way into an empty one.
@Suite struct AssignmentCopyTests {
  private let journal = MemoryJournal(now: { 0 })
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func options(imageBytes: Int = 1 << 20) -> CommitLog.Options {
    var options = CommitLog.Options(pause: { _ in false })
    options.imageBytes = imageBytes
    return options
  }

  /// Runs an assignment for some epochs, each of which sets a key.
  private func run(
    _ journal: MemoryJournal, _ keys: ClosedRange<UInt8>, _ file: String, imageBytes: Int = 1 << 20
  )
    throws
  {
    let takeover = LogTakeover(journal, of: "t", options(imageBytes: imageBytes))
    guard
      case .taken(let log) = try takeover.take(writer: "w\(keys.lowerBound)#1", digest: "d", newLog: "first")
    else { throw StoreError("t", .refused, "not taken") }
    let state = try takeover.open(log, path: folder[file], StateFile.Options())
    let table = try state.table(node: "n", description: ".")
    for key in keys {
      table.set([key], for: [key])
      try state.commit { epoch throws(StoreError) in
        try epoch.set(.text("id"), owner: "pipeline", name: "life")
      }
    }
    log.release()
  }

  private func keys(_ image: [UInt8]) throws -> [[UInt8]] {
    try StateReplica.install(image, at: folder["view.db"])
    defer { try? StateReplica.discard(folder["view.db"]) }
    return try StateReader(path: folder["view.db"]).keys(of: "n").map(\.key)
  }

  @Test(
    "it has what was committed, also behind an image, and goes on in another journal",
    arguments: [0, 1 << 20])
  func copied(imageBytes: Int) throws {
    expectNil(try AssignmentCopy.read("t", from: journal, scratch: folder["s.db"])?.copy)
    try run(journal, 1...3, "a.db", imageBytes: imageBytes)
    let (copy, image) = try #require(try AssignmentCopy.read("t", from: journal, scratch: folder["s.db"]))
    expect(copy, equals: AssignmentCopy(name: "t", digest: "d", ordinal: 3))
    expect(try keys(image), equals: [[1], [2], [3]])
    // What the first cluster does later is of another log than what the second does.
    try run(journal, 4...6, "a.db", imageBytes: imageBytes)

    let other = MemoryJournal(now: { 0 })
    try copy.restore(image, into: other, options(), scratch: folder["s.db"], log: "second")
    expect(try other.last(of: "t").flatMap { LogStatus($0.bytes) }?.isReleased, equals: true)
    try run(other, 7...8, "a.db")
    let (later, whole) = try #require(try AssignmentCopy.read("t", from: other, scratch: folder["s.db"]))
    expect(later.ordinal, equals: 5)
    expect(try keys(whole), equals: [[1], [2], [3], [7], [8]])
  }

  @Test("a log that is there already is left alone, and a file of another moment is refused")
  func refused() throws {
    try run(journal, 1...2, "a.db")
    let (copy, image) = try #require(try AssignmentCopy.read("t", from: journal, scratch: folder["s.db"]))
    let before = try journal.last(of: "t")
    let there = #expect(throws: StoreError.self) {
      try copy.restore(image, into: journal, options(), scratch: folder["s.db"], log: "x")
    }
    expect(there?.kind, equals: .refused)
    #expect(try before != nil && journal.last(of: "t") == before)
    var wrong = copy
    wrong.ordinal = 7
    let error = #expect(throws: StoreError.self) {
      try wrong.restore(image, into: MemoryJournal(now: { 0 }), options(), scratch: folder["s.db"], log: "x")
    }
    expect(error?.kind, equals: .corrupt)
  }

  @Test("the state has another id when it goes on")
  func identity() throws {
    try run(journal, 1...2, "a.db")
    let (copy, image) = try #require(try AssignmentCopy.read("t", from: journal, scratch: folder["s.db"]))
    let other = MemoryJournal(now: { 0 })
    try copy.restore(image, into: other, options(), scratch: folder["s.db"], log: "second")
    let (_, restored) = try #require(try AssignmentCopy.read("t", from: other, scratch: folder["s.db"]))
    func id(_ image: [UInt8]) throws -> String? {
      try StateReplica.install(image, at: folder["view.db"])
      return try StateReader(path: folder["view.db"]).facts().first { $0.name == "life" }?.value.text
    }
    expect(try id(image), equals: "id")
    expect(try id(restored), equals: "second")
  }
}
