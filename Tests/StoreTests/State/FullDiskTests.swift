import Expectations
import Foundation
import TestSupport
import Testing

@testable import Store

/// A disk with next to no room on it, where one can be mounted.
@Suite struct FullDiskTests {
  @Test(
    "a commit that finds no room says so and keeps its changes; with room made it succeeds, whole",
    .enabled(if: SmallDisk.isPossible, .init(rawValue: SmallDisk.missing)))
  func full() throws {
    let folder = try Folder()
    let disk = try SmallDisk(at: folder.path, bytes: 512 << 10)
    let state = try folder.open()
    let table = try state.table(node: "n", description: "")
    var failed: StoreError?
    var number = 0
    while failed == nil, number < 200 {
      number += 1
      for key in 0..<10 { table.set(Array(repeating: 1, count: 1000), for: bytes("\(number) \(key)")) }
      failed = failure { try state.commit { _ in } }
    }
    expect(failed?.isFull, equals: true, "\(failed?.description ?? "no failure")")
    #expect(Int(state.epoch) == number - 1 && table.count == number * 10)
    // As if it were killed on the full disk.
    let left = try folder.snapshot().open()
    #expect(
      try left.epoch == state.epoch && left.table(node: "n", description: "").count == (number - 1) * 10)
    expect(failure { try state.commit { _ in } }?.isFull, equals: true)
    #expect(disk.resize(to: 8 << 20))
    try expect(Int(state.commit { _ in }), equals: number)
    let after = try folder.snapshot().open()
    try expect(after.table(node: "n", description: "").count, equals: number * 10)
    try expect(after.database.text("PRAGMA integrity_check"), equals: "ok")
  }

  @Test(
    "a file that is rebuilt from a long log needs no more room than it has at the end, and its write-ahead log's",
    .enabled(if: SmallDisk.isPossible, .init(rawValue: SmallDisk.missing)))
  func rebuilt() throws {
    let (folder, small) = (try Folder(), try SmallDisk(bytes: 1 << 20))
    let log = MemoryLog()
    let file = try folder.open()
    try file.attach(log, at: LogPlace(log: "a", ordinal: 0), by: "w")
    let table = try file.table(node: "n", description: "")
    for number in 0..<400 {
      for key in 0..<10 {
        table.set(Array(repeating: UInt8(number & 255), count: 1000), for: bytes("\(key)"))
      }
      try file.commit { _ in }
    }
    do {
      let replica = try StateReplica(path: "\(small.path)/state.db")
      for (number, delta) in log.deltas.enumerated() {
        try replica.apply(delta, to: LogPlace(log: "a", ordinal: Int64(number + 1)))
      }
    }
    let rebuilt = try StateFile(path: "\(small.path)/state.db")
    let value = try rebuilt.table(node: "n", description: "").value(for: bytes("3"))
    expect(value, equals: Array(repeating: UInt8(399 & 255), count: 1000))
  }
}
