import Expectations
import Trials
import TestSupport
import Glibc
import Engine
import Language
import Reactive
import Testing

@testable import Nodes
import System

/// Files that go on where a killed run left off.
@Suite struct ResumedFilesTests {
  private let killed: KilledRun
  private let truth = KilledRun.truth
  private var folder: TemporaryFolder { killed.folder }
  private var path: String { killed.path }

  init() throws { killed = try KilledRun() }

  private func clear() { for name in folder.names { unlink(folder[name]) } }

  @Test("killed at any byte after any mark, the file is as if nothing had happened", arguments: [1, 5, 1000])
  func anyCut(pieces: Int) throws {
    for mark in truth.indices {
      for cut in mark...truth.count {
        let kept = try killed.run(mark: mark, cut: cut)
        let lone = try killed.replay(truth[mark...], from: kept, pieces: pieces)
        try lone.files.endReplay()
        try lone.write("7\n".utf8, to: path)
        try expect(folder.bytes("x"), equals: truth + "7\n".utf8, "mark \(mark), cut \(cut)")
        expect(folder.names, equals: ["x"])
        expect(lone.told(), equals: [])
        clear()
      }
    }
  }

  @Test("what has come again to its last byte is known to be over, before anything else comes")
  func isOver() throws {
    for mark in truth.indices {
      for cut in mark...truth.count {
        let kept = try killed.run(mark: mark, cut: cut)
        let lone = try killed.replay(truth[mark..<cut], from: kept, pieces: 5)
        #expect(!lone.files.isComparingTail, "mark \(mark), cut \(cut)")
        clear()
      }
    }
  }

  @Test("the same where files were rotated after the mark", arguments: [1, 5, 1000])
  func rotated(pieces: Int) throws {
    let rotation = Rotation(size: 8, keep: 20)
    for mark in KilledRun.lineStarts {
      for cut in mark...truth.count {
        let kept = try killed.run(mark: mark, cut: cut, rotation)
        let lone = try killed.replay(truth[mark...], from: kept, pieces: pieces, LoneFiles(rotation))
        try expect(killed.text(), equals: truth, "mark \(mark), cut \(cut)")
        try lone.files.endReplay()
        try expect(killed.text(), equals: truth, "mark \(mark), cut \(cut)")
        expect(lone.told(), equals: [])
        clear()
      }
    }
  }

  @Test("killed within a rotation, between the old names or without a present file")
  func withinRotation() throws {
    let rotation = Rotation(size: 8, keep: 20)
    for gap in 0...2 {
      let kept = try killed.run(mark: 2, cut: truth.count, rotation)
      // As it is when a name was given on and the next was not yet.
      for number in (max(gap, 1)...9).reversed() { rename(folder["x.\(number)"], folder["x.\(number + 1)"]) }
      if gap == 0 { rename(path, folder["x.1"]) }
      let lone = try killed.replay(truth[2...], from: kept, pieces: 3, LoneFiles(rotation))
      try expect(killed.text(), equals: truth)
      expect(lone.told(), equals: [])
      clear()
    }
  }

  @Test("killed again and again while it goes on, with marks that are kept or not", arguments: 1...40)
  func manyKills(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let lines = (0..<120).map {
      "\($0) " + String(repeating: "x", count: Int.random(in: 0...20, using: &random)) + "\n"
    }
    let truth = lines.flatMap(\.utf8)
    let rotation = Rotation(size: Bool.random(using: &random) ? 200 : nil, keep: 50)
    let disk = WatchedDisk()
    var kept: (line: Int, mark: FileMark)?
    var done = false
    while !done {
      let lone = LoneFiles(rotation, disk: disk)
      var next = kept?.line ?? 0
      if let kept { lone.files.resume(path, at: kept.mark) }
      // The first mark is kept before anything is written.
      if kept == nil {
        _ = try lone.files.file(path)
        kept = (0, try #require(try lone.keepMark(of: path)))
      }
      for _ in 0..<Int.random(in: 0...30, using: &random) where next < lines.count {
        let end = min(lines.count, next + Int.random(in: 1...5, using: &random))
        try lone.write(lines[next..<end].joined().utf8, to: path)
        next = end
        if Int.random(in: 0..<3, using: &random) == 0 {
          if let mark = try lone.keepMark(of: path, synced: Bool.random(using: &random)) {
            kept = (next, mark)
          }
        }
      }
      done = next == lines.count
      // A part of what comes next is written before the kill.
      if !done { try lone.write(lines[next].utf8.dropLast(Int.random(in: 1...3, using: &random)), to: path) }
      expect(lone.told(), equals: [])
      #expect(truth.starts(with: try killed.text()))
    }
    try expect(killed.text(), equals: truth)
  }

  @Test(
    "a disk that cannot be read now and then is waited for, and nothing is lost or doubled", arguments: 2...6)
  func readFailures(rate: Int) throws {
    for cut in 2...truth.count {
      let kept = try killed.run(mark: 2, cut: cut)
      let lone = LoneFiles(disk: WatchedDisk(readFailures: rate))
      try killed.replay(truth[2...], from: kept, pieces: 11, lone)
      try expect(folder.bytes("x"), equals: truth, "cut \(cut)")
      #expect(Set(lone.told(.error)).count <= 1)
      clear()
    }
  }

  @Test("a disk that is full where the line that was cut off goes on is waited for")
  func fullDisk() throws {
    for cut in 2...truth.count {
      let kept = try killed.run(mark: 2, cut: cut)
      let disk = WatchedDisk(room: 0)
      let lone = LoneFiles(disk: disk) { _, _ in disk.makeRoom(2) }
      try killed.replay(truth[2...], from: kept, lone)
      try expect(folder.bytes("x"), equals: truth, "cut \(cut)")
      expect(lone.pauses.entries.count, equals: (truth.count - cut + 1) / 2)
      clear()
    }
  }

  @Test("a file is not rotated while it is compared, and is afterwards")
  func noRotation() throws {
    let kept = try killed.run(mark: 2, cut: 14)
    let lone = try killed.replay(
      truth[2..<14], from: kept, pieces: 1, LoneFiles(Rotation(size: 3, age: 1), now: 4e9))
    expect(folder.names, equals: ["x"])
    try killed.write(truth[14...], lone)
    expect(folder.names, equals: ["x", "x.1"])
    try expect(killed.text(), equals: truth)
  }

  @Test(
    "a rotated file with the mark is not compressed on resumption, but when the next mark is committed")
  func packing() throws {
    let rotation = Rotation(size: 8, keep: 20, gzip: true)
    let kept = try killed.run(mark: 2, cut: truth.count, rotation)
    expect(folder.names, equals: ["x", "x.1", "x.2", "x.3"])
    let lone = try killed.replay(truth[2...], from: kept, LoneFiles(rotation))
    expect(folder.names, equals: ["x", "x.1", "x.2", "x.3"])
    _ = try lone.keepMark(of: path)
    try killed.write("next\n".utf8, lone)
    _ = try lone.keepMark(of: path)
    lone.files.close()
    expect(folder.names, equals: ["x", "x.1.gz", "x.2.gz", "x.3.gz"])
    try expect(
      ["x.3.gz", "x.2.gz", "x.1.gz", "x"].flatMap { try folder.bytes($0) },
      equals: truth
        + "next\n".utf8)
  }

  @Test("many files, few of them open, killed at any byte: each goes on where it was", arguments: [1, 2, 20])
  func manyFiles(limit: Int) throws {
    let names = (0..<6).map { "f\($0)" }
    for cut in truth.indices {
      let first = LoneFiles(limit: limit, keepsMarks: true)
      for name in names { try first.files.append(Array(truth[..<5]), to: folder[name]) }
      try first.files.write()
      let kept = try first.files.marks(synced: false)
      expect(kept.count, equals: names.count)
      first.files.marksAreKept()
      // Some have got further than others.
      for (number, name) in names.enumerated() {
        let end = max(5, min(truth.count, cut + number))
        try first.write(truth[5..<end], to: folder[name])
      }
      let lone = LoneFiles(limit: limit)
      for (path, mark) in kept { lone.files.resume(path, at: mark) }
      for start in stride(from: 5, to: truth.count, by: 4) {
        for name in names { try lone.files.append(Array(truth[start...].prefix(4)), to: folder[name]) }
        try lone.files.write()
        if start.isMultiple(of: 3) {
          _ = try lone.files.marks(synced: cut.isMultiple(of: 9))
          lone.files.marksAreKept()
        }
      }
      try lone.files.endReplay()
      try expect(names.map { try folder.bytes($0) }, equals: names.map { _ in truth }, "cut \(cut)")
      expect(lone.told(), equals: [])
      clear()
    }
  }
}
