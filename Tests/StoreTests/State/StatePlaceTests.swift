import Expectations
import Glibc
import System
import Testing

@testable import Store

/// State files and their locks that others remove, replace or truncate.
@Suite struct StatePlaceTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  private func fill(_ state: StateFile) throws {
    try state.commit { epoch throws(StoreError) in try epoch.set(.integer(1), owner: "o", name: "n") }
  }

  @Test(
    "state that is removed, replaced or truncated while it is open takes no commit",
    arguments: [
      "removed", "replaced", "truncated",
    ])
  func gone(how: String) throws {
    let state = try folder.open()
    try fill(state)
    switch how {
    case "removed": unlink(folder.file)
    case "replaced":
      try folder.write([1, 2, 3], "other")
      rename(folder.path + "/other", folder.file)
    default: truncate(folder.file, 0)
    }
    let failed = failure { try fill(state) }
    expect(failed?.kind, equals: .gone)
    expect(
      failed?.reason,
      equals: "\(how)\(how == "replaced" ? " by another file" : "") while it was in use; nothing more is kept"
    )
  }

  @Test("an empty file is damaged, since none is made so")
  func empty() throws {
    try folder.write([])
    let failed = failure { _ = try folder.open() }
    expect(failed?.isCorrupt, equals: true)
    expect(failed?.reason, equals: "damaged: it is empty; --reset-corrupt sets it aside")
    try expect(folder.open { $0.resetsCorrupt = true }.setAside, equals: folder.file + ".corrupt-1")
  }

  @Test("what a run left that was killed while it created the file does no harm")
  func created() throws {
    for name in ["p.db.new", "p.db.new-wal", "p.db.new-journal", "p.db-wal"] {
      try folder.write([1, 2, 3], name)
    }
    try expect(folder.open().epoch, equals: 0)
    #expect(folder.names.allSatisfy { !$0.contains("new") })
  }

  @Test("a lock that is a link is refused, and what it leads to stays as it is")
  func link() throws {
    try folder.write([1, 2, 3], "victim")
    symlink(folder.path + "/victim", folder.file + ".lock")
    expect(failure { _ = try folder.open() }?.kind, equals: .denied)
    try expect(folder.read("victim"), equals: [1, 2, 3])
  }

  @Test("a file that another process holds is refused though its lock was removed")
  func removedLock() throws {
    try fill(folder.open())
    // flock(1) is the other process.
    var pid: pid_t = 0
    let words = ["flock", folder.file, "sleep", "20"]
    var arguments = words.map { strdup($0) } + [nil]
    expect(posix_spawnp(&pid, "flock", nil, nil, &arguments, environ), equals: 0)
    defer {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
      arguments.forEach { free($0) }
    }
    var failed: StoreError?
    for _ in 0..<200 where failed == nil {
      failed = failure { _ = try folder.open() }
      usleep(10_000)
    }
    expect(failed?.kind, equals: .held(by: pid))
  }
}
