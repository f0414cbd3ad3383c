import Expectations
import Foundation
import SimulatedDisk
import TestScale
import Testing

@testable import Store

@Suite struct StateFileTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  func filled() throws {
    let state = try folder.open()
    let table = try state.table(node: "n", description: "")
    for number in 0..<2000 { table.set(bytes("value \(number)"), for: bytes("\(number)")) }
    try state.commit { _ in }
  }

  @Test("it makes its folders, for this user alone, and remembers the number of the last epoch")
  func epochs() throws {
    let path = folder.path + "/a/b/p.db"
    do {
      let state = try StateFile(path: path)
      expect(state.epoch, equals: 0)
      let first = try state.commit { expect($0.number, equals: 1) }
      expect(first, equals: 1)
      try expect(state.commit { _ in }, equals: 2)
      try state.update { expect($0.number, equals: 2) }
    }
    try expect(StateFile(path: path).epoch, equals: 2)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/a")
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test("facts are kept by owner and name, with an epoch or without one")
  func facts() throws {
    do {
      let state = try folder.open()
      try state.commit { epoch throws(StoreError) in
        try epoch.set(.integer(.max), owner: "file", name: "offset")
        try epoch.set(.text("żółw\u{0}"), owner: "file", name: "tag")
        try epoch.set(.text(""), owner: "other", name: "tag")
      }
      try state.update { epoch throws(StoreError) in
        try epoch.remove(owner: "file", name: "none")
        try epoch.set(.integer(-1), owner: "other", name: "offset")
      }
      let failed = failure {
        try state.update { epoch throws(StoreError) in try epoch.set(.integer(9), owner: "", name: "epoch")
        }
      }
      expect(failed?.reason, equals: "cannot keep epoch: it needs an owner")
    }
    let state = try folder.open()
    try expect(state.fact(owner: "file", name: "offset")?.integer, equals: .max)
    try expect(state.fact(owner: "file", name: "tag")?.text, equals: "żółw\u{0}")
    try expect(state.fact(owner: "other", name: "tag"), equals: .text(""))
    try expect(state.fact(owner: "other", name: "offset"), equals: .integer(-1))
    try expectNil(state.fact(owner: "file", name: "none"))
    expect(state.epoch, equals: 1)
  }

  @Test("a second user gets an error with the first one's process, and the state once that is done")
  func held() throws {
    do {
      let state = try folder.open()
      let failed = failure { _ = try folder.open() }
      expect(failed?.kind, equals: .held(by: getpid()))
      expect(
        failed?.description,
        equals: "\(folder.file): in use by process \(getpid()); a pipeline's state has one user at a time")
      try state.commit { _ in }
    }
    try expect(folder.open().epoch, equals: 1)
  }

  @Test("what a killed process leaves it to for a moment, a command that it was starting, is waited for")
  func leftToACommand() throws {
    let lock = open(folder.file + ".lock", O_RDWR | O_CREAT, 0o600)
    expect(flock(lock, LOCK_EX), equals: 0)
    // No process has such a number.
    let holder = bytes("2000000000\n")
    expect(write(lock, holder, holder.count), equals: holder.count)
    Thread.detachNewThread {
      usleep(50_000)
      close(lock)
    }
    try expect(folder.open().epoch, equals: 0)
  }

  @Test("a lock with an unknown holder is still held")
  func heldByNobody() throws {
    let state = try folder.open()
    try folder.write([], "p.db.lock")
    expect(failure { _ = try folder.open() }?.kind, equals: .held(by: nil))
    try folder.write(bytes("99999999999999999999"), "p.db.lock")
    expect(failure { _ = try folder.open() }?.kind, equals: .held(by: nil))
    try state.commit { _ in }
  }

  @Test(
    "a damaged file is refused with what to do about it, and set aside when that is asked for",
    arguments: ["garbage", "short", "header", "half", "inside"])
  func corrupt(how: String) throws {
    try filled()
    var file = try folder.read()
    switch how {
    case "garbage": file = file.indices.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
    case "short": file = Array(file[..<50])
    case "header": file[3] = 0
    case "half": file = Array(file[..<(file.count / 2)])
    default: for place in 4096 * 12..<4096 * 14 { file[place] = 0xa5 }
    }
    try folder.write(file)
    let failed = failure { _ = try folder.open() }
    expect(failed?.isCorrupt, equals: true)
    expect(failed?.reason.hasPrefix("damaged: "), equals: true, "\(failed?.description ?? "")")
    expect(failed?.reason.hasSuffix("; --reset-corrupt sets it aside"), equals: true)
    try expect(folder.read(), equals: file)

    for number in 1...2 {
      try folder.write(file)
      let state = try folder.open { $0.resetsCorrupt = true }
      expect(state.setAside, equals: folder.file + ".corrupt-\(number)")
      expect(state.epoch, equals: 0)
      try expect(folder.read("p.db.corrupt-\(number)"), equals: file)
      try state.commit { _ in }
    }
  }

  @Test("a sound file is opened as it is where damaged ones may be set aside")
  func sound() throws {
    try filled()
    let state = try folder.open { $0.resetsCorrupt = true }
    #expect(state.setAside == nil && state.epoch == 1)
  }

  @Test("a write-ahead file that was cut anywhere gives the commits that are whole in it")
  func cutWriteAhead() throws {
    let state = try folder.open()
    let table = try state.table(node: "n", description: "")
    for number in 0..<12 {
      table.set(bytes("\(number)"), for: bytes("last"))
      try state.commit { epoch throws(StoreError) in
        try epoch.set(.integer(Int64(number)), owner: "o", name: "last")
      }
    }
    let log = try folder.read("p.db-wal")
    var seen: Set<Int64> = []
    for cut in Array(stride(from: 0, to: log.count, by: Int(1171 / min(TestScale.factor, 1)))) + [log.count] {
      let copy = try folder.snapshot()
      try copy.write(Array(log[..<cut]), "p.db-wal")
      let after = try copy.open()
      seen.insert(after.epoch)
      let last = try after.fact(owner: "o", name: "last")
      expect(last, equals: (after.epoch == 0 ? nil : .integer(after.epoch - 1)))
      let value = try after.table(node: "n", description: "").value(for: bytes("last"))
      expect(value, equals: (after.epoch == 0 ? nil : bytes("\(after.epoch - 1)")))
    }
    #expect(TestScale.factor < 1 || seen == Set(0...12))
  }

  @Test("behind a fact that could not be read nothing is committed", arguments: [true, false])
  func unreadFact(isOne: Bool) throws {
    let disk = SimulatedDisk(.init(seed: 1))
    let process = disk.start()
    try process.makeFolder("/var")
    let state = try StateFile(path: "/var/p.db", StateFile.Options(disk: ProcessDisk(process: process)))
    try state.commit { epoch throws(StoreError) in try epoch.set(.integer(7), owner: "log", name: "serial") }
    // It is read from the disk, as after a start.
    try state.database.execute("PRAGMA shrink_memory")
    disk.add(DiskFault(.read, .number(1), code: EIO))
    #expect(throws: StoreError.self) {
      _ = try isOne ? state.fact(owner: "log", name: "serial") : state.facts(owner: "log").first?.value
    }
    #expect(throws: StoreError.self) { try state.commit { _ in } }
  }

  @Test(
    "a read that failed for want of memory or a lock is no reason to try the commit again",
    arguments: [
      StoreError.Kind.unavailable, .held(by: nil), .full,
    ])
  func passingReadError(kind: StoreError.Kind) throws {
    let state = try folder.open()
    state.database.noteReadError(StoreError("p.db", kind, "not now"))
    let error = #expect(throws: StoreError.self) { try state.commit { _ in } }
    #expect(error?.isPassing == false && error?.reason == "not now")
  }

  @Test("the standard folder and the names of files")
  func folders() {
    let state = { (name: String) in ["XDG_STATE_HOME": "/s", "HOME": "/h"][name] }
    expect(StateFolder.standard(environment: state), equals: "/s/flow")
    expect(
      StateFolder.standard { $0 == "STATE_DIRECTORY" ? "/var/lib/a:/var/lib/b" : "/h" }, equals: "/var/lib/a")
    expect(StateFolder.standard { $0 == "HOME" ? "/h" : "relative" }, equals: "/h/.local/state/flow")
    expectNil(StateFolder.standard { _ in nil })
    expect(StateFolder.file(of: "new-launches", in: "/s"), equals: "/s/new-launches.db")
    for name in ["", ".", "..", "a/b", "a\u{0}", ".hidden", String(repeating: "x", count: 201)] {
      expectNil(StateFolder.file(of: name, in: "/s"))
    }
  }

  @Test("a folder that cannot be made says so")
  func noFolder() throws {
    try folder.write([], "file")
    let failed = failure { _ = try StateFile(path: folder.path + "/file/a/p.db") }
    expect(failed?.kind, equals: .denied)
    expect(failed?.reason, equals: "cannot make the folder: Not a directory")
  }
}
