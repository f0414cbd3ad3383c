import TestSupport
import Foundation
import Store

/// State of the pipelines `slips` and `quiet`, as runs leave it, and the command run over it.
struct KeptState {
  let place: Workplace

  init() throws {
    place = try Workplace()
    try KeptState.fill(open("slips"), pipeline: pipeline)
    let quiet = try open("quiet")
    try quiet.commit { _ in }
  }

  /// Where `slips` says that its file is, which is too long for a line of 80 columns.
  var pipeline: String { place["\(String(repeating: "long", count: 20))/pipelines/slips.yaml"] }

  /// Runs `flow state` with arguments.
  func flow(_ arguments: String...) throws -> Outcome {
    try place.write("stdin", "")
    return try Running(
      ["state"] + arguments, in: place, input: .file(place["stdin"]), ["XDG_STATE_HOME": place["home"]]
    ).end()
  }

  /// Runs `flow` with arguments on a terminal, on which something is typed.
  func typed(_ arguments: String, _ answer: String) throws -> Outcome {
    try place.write("typed", answer)
    let line = "'\(try flowCommand().path)' \(arguments)"
    return try Running(
      ["-qec", line, "/dev/null"], of: "/usr/bin/script", in: place, input: .file(place["typed"]),
      ["XDG_STATE_HOME": place["home"], "SHELL": "/bin/sh"]
    ).end()
  }

  func path(of name: String) -> String { place["home/flow/\(name).db"] }

  func open(_ name: String) throws -> StateFile {
    try StateFile(path: path(of: name), .init(database: .init(sync: .never)))
  }

  func read(_ name: String = "slips") throws -> StateReader { try StateReader(path: path(of: name)) }

  /// Everything in the folder.
  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: place["home/flow"])) ?? []).sorted()
  }

  private static func fill(_ state: StateFile, pipeline: String) throws {
    func fill(_ node: String, _ description: String, _ entries: [(key: String, value: String)]) throws {
      let table = try state.table(node: node, description: description)
      for entry in entries { table.set(Array(entry.value.utf8), for: Array(entry.key.utf8)) }
    }
    try fill("dedupe", ".id", [("7", "null"), (#""b\u0007""#, #"{"n":12345678901234567890}"#), ("5", "")])
    try fill("changes", ".key", [("1", "{}")])
    try fill("changes@upcoming", ".key", [("1", "[]"), ("2", "[]")])
    let odd = try state.table(node: "odd", description: "bytes")
    odd.set([0xFF, 0x00], for: [0xC3])
    try state.commit { epoch throws(StoreError) in
      try epoch.set(.text(pipeline), owner: "pipeline", name: "path")
      try epoch.set(.text(#"{"offset":12,"file":"a.jsonl"}"#), owner: "upcoming", name: "position")
      try epoch.set(
        .text(#"{"device":1,"inode":2,"offset":3456}"#), owner: "log",
        name: "file:/var/log/\u{1B}[2Jslips.jsonl")
      try epoch.set(.integer(9), owner: "dedupe", name: "passed")
      for index in 0..<5 {
        var entry = OutboxEntry(
          sink: "tell", place: .init(epoch: 1, index: Int64(index)), id: "slips/tell/1/\(index)",
          bytes: Array(#"{"type":"changed","key":\#(index)}"#.utf8))
        try epoch.put(entry)
        if index < 3 {
          entry.attempts = 5
          try epoch.giveUp(entry, reason: "exit status \(index)\u{1B}[2J", at: 1_767_225_600)
        }
      }
      try epoch.markWritten(sink: "log", through: .init(epoch: 1, index: 2))
    }
  }
}
