import Foundation
import TestSupport
import Testing

@testable import Store

/// A disk with next to no room on it, where one can be mounted.
@Suite struct FullDiskTests {
  private static func mount(_ arguments: String..., on path: String) -> Bool {
    run("mount", arguments + [path])
  }

  private static func run(_ command: String, _ arguments: [String]) -> Bool {
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command] + arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  static var canMount: Bool {
    guard let folder = try? Folder() else { return false }
    return mount("-t", "tmpfs", "tmpfs", on: folder.path) && run("umount", [folder.path])
  }

  @Test(
    "a commit that finds no room says so and keeps its changes; with room made it succeeds, whole",
    .enabled(if: canMount, "a small disk cannot be mounted here"))
  func full() throws {
    let folder = try Folder()
    #expect(Self.mount("-t", "tmpfs", "-o", "size=512k", "tmpfs", on: folder.path))
    defer { _ = Self.run("umount", ["-l", folder.path]) }
    let state = try folder.open()
    let table = try state.table(node: "n", description: "")
    var failed: StoreError?
    var number = 0
    while failed == nil, number < 200 {
      number += 1
      for key in 0..<10 { table.set(Array(repeating: 1, count: 1000), for: bytes("\(number) \(key)")) }
      failed = failure { try state.commit { _ in } }
    }
    #expect(failed?.isFull == true, "\(failed?.description ?? "no failure")")
    #expect(Int(state.epoch) == number - 1 && table.count == number * 10)
    // As if it were killed on the full disk.
    let left = try folder.snapshot().open()
    #expect(
      try left.epoch == state.epoch && left.table(node: "n", description: "").count == (number - 1) * 10)
    #expect(failure { try state.commit { _ in } }?.isFull == true)
    #expect(Self.mount("-o", "remount,size=8m", on: folder.path))
    #expect(try Int(state.commit { _ in }) == number)
    let after = try folder.snapshot().open()
    #expect(try after.table(node: "n", description: "").count == number * 10)
    #expect(try after.database.text("PRAGMA integrity_check") == "ok")
  }

  @Test(
    "a file that is rebuilt from a long log needs no more room than it has at the end, and its write-ahead log's",
    .enabled(if: canMount, "a small disk cannot be mounted here"))
  func rebuilt() throws {
    let (folder, small) = (try Folder(), try Folder())
    let log = MemoryLog()
    let file = try folder.open()
    try file.attach(log, at: LogPlace(log: "a", ordinal: 0))
    let table = try file.table(node: "n", description: "")
    for number in 0..<400 {
      for key in 0..<10 {
        table.set(Array(repeating: UInt8(number & 255), count: 1000), for: bytes("\(key)"))
      }
      try file.commit { _ in }
    }
    #expect(Self.mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", on: small.path))
    defer { _ = Self.run("umount", ["-l", small.path]) }
    do {
      let replica = try StateReplica(path: "\(small.path)/state.db")
      for (number, delta) in log.deltas.enumerated() {
        try replica.apply(delta, to: LogPlace(log: "a", ordinal: Int64(number + 1)))
      }
    }
    let rebuilt = try StateFile(path: "\(small.path)/state.db")
    let value = try rebuilt.table(node: "n", description: "").value(for: bytes("3"))
    #expect(value == Array(repeating: UInt8(399 & 255), count: 1000))
  }
}
