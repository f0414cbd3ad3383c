import Expectations
@testable import Connectors
import TestSupport
import Fetch
import Glibc
import JSON
import Loopback
import Engine
import Language
import Reactive
import Store
import Testing
import Trials

import System

@Suite(.timeLimit(.minutes(30))) struct DownloadTests {
  private let folder: TemporaryFolder
  private let asked = Journal<TransferOrder>()
  init() throws { folder = try TemporaryFolder() }

  private func sink(_ more: String = "") -> String {
    #"get: { download: { url: .url, path: '\#(folder.path)/\(.id).bin'\#(more) } }"#
  }

  private func bench(_ replies: [Canned.Reply]) -> SinkBench {
    .answering(replies, noting: asked)
  }

  private func row(_ id: String, _ url: String = "http://a/x") -> String {
    Value.record([("id", .string(id)), ("url", .string(url))]).description
  }

  @Test("what is named is fetched, null is nothing, and what is there is left alone")
  func plain() throws {
    let seen = try bench([.init("one"), .init("")]).run(
      sink(), lines: [row("a"), #"{"id":"n","url":null}"#, row("a"), row("b", "http://a/y")])
    expect(folder.names, equals: ["a.bin", "b.bin"])
    #expect(try folder.text("a.bin") == "one" && folder.text("b.bin") == "")
    expect(asked.entries.map(\.address.text), equals: ["http://a/x", "http://a/y"])
    #expect(seen.log.isEmpty && seen.statistics.last?.eventsOut == 4)
    #expect(asked.entries.allSatisfy { $0.header("Accept-Encoding") == "identity" })
  }

  @Test("data cannot lead out of the folder, nor to anything but the web")
  func guarded() throws {
    let seen = try bench([.init("x")]).run(
      sink(),
      lines: [row("../../etc/x"), row("f", "file:///etc/passwd"), row("g", "ftp://a/"), #"{"id":1,"url":2}"#])
    expect(folder.names, equals: ["_.-..-etc-x.bin"])
    #expect(asked.entries.count == 1 && seen.statistics.last?.errors == 3)
  }

  @Test("a link is not written through")
  func links() throws {
    try folder.write("outside", "mine")
    symlink(folder["outside"], folder["a.bin.part"])
    symlink(folder["outside"], folder["b.bin"])
    _ = try bench([.init("x")]).run(sink(", overwrite: changed"), lines: [row("a"), row("b")])
    try expect(folder.text("outside"), equals: "mine")
    #expect(try folder.text("a.bin") == "x" && folder.text("b.bin") == "x")
    expect(Set(folder.names), equals: ["a.bin", "b.bin", "outside"])
  }

  @Test(
    "what is no file is neither replaced nor taken for the download", arguments: ["", ", overwrite: changed"])
  func special(more: String) throws {
    mkfifo(folder["a.bin"], 0o600)
    mkdir(folder["b.bin"], 0o700)
    let seen = try bench([.init("x")]).run(sink(more), lines: [row("a"), row("b")])
    expect(Set(folder.names), equals: ["a.bin", "b.bin"])
    #expect(asked.entries.isEmpty && seen.statistics.last?.errors == 2)
    expect(seen.log.count { $0.contains("is no file that could be written anew") }, equals: 2, "\(seen.log)")
  }

  @Test("a file that is there is asked for if it has changed, where that is wanted")
  func changed() throws {
    try folder.write("a.bin", "old")
    let bench = bench([.init("", status: 304), .init("new")])
    let seen = try bench.run(sink(", overwrite: changed"), lines: [row("a")])
    try expect(folder.text("a.bin"), equals: "old")
    #expect(seen.log.isEmpty)
    let since = try #require(asked.entries.first.flatMap { $0.header("If-Modified-Since") })
    #expect(
      since.wholeMatch(of: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/) != nil, "\(since)")
    _ = try bench.run(sink(", overwrite: changed"), lines: [row("a")])
    #expect(try folder.text("a.bin") == "new" && folder.names == ["a.bin"])
  }

  @Test("what cannot be is tried no more, and leaves nothing", arguments: [404, 403, 204])
  func refused(_ status: Int) throws {
    let seen = try bench([.init("", status: status)]).run(sink(), lines: [row("a")])
    #expect(folder.names.isEmpty && asked.entries.count == 1 && seen.statistics.last?.errors == 1)
    expect(seen.log.first?.contains("\(status)"), equals: true, "\(seen.log)")
  }

  @Test("what is too large is not kept", arguments: [true, false])
  func tooLarge(_ isTold: Bool) throws {
    let body = String(repeating: "x", count: 2000)
    let reply = Canned.Reply(body, isTold ? [("Content-Length", "2000")] : [])
    let seen = try bench([reply]).run(sink(", max_size: 1KiB"), lines: [row("a")])
    #expect(folder.names.isEmpty && asked.entries.count == 1)
    expect(seen.log.first?.contains("max_size"), equals: true, "\(seen.log)")
  }

  @Test("a dead letter is fetched once it is put back, in another run")
  func deadLetters() throws {
    let state = try TemporaryState()
    var bench = bench([.init("", status: 500), .init("", status: 500), .init("x")])
    bench.state = state
    let seen = try bench.run(sink(", attempts: 2, backoff: 0s"), lines: [row("a")])
    expect(seen.log.last?.contains("after 2 attempts"), equals: true)
    let letter = try state.retryDeadLetter()
    #expect(letter.entry.attempts == 2 && letter.reason.contains("answered 500"))
    _ = try bench.run(sink(), lines: [])
    #expect(try folder.text("a.bin") == "x" && asked.entries.count == 3)
    #expect(try StateReader(path: state.path).outbox(sink: "get").isEmpty)
  }

  @Test("a full disk fails the attempt, and the part is resumed")
  func fullDisk() throws {
    var bench = bench([
      .init("0123456789", [("ETag", "\"e\"")]),
      .init("789", status: 206, [("ETag", "\"e\""), ("Content-Range", "bytes 7-9/10")]),
    ])
    let origin = Self.origin("http://a/x", tag: "e", length: "null")
    bench.disk = WatchedDisk(room: origin.utf8.count + 7)
    let seen = try bench.run(sink(", attempts: 1"), lines: [row("a")])
    expect(seen.log.first?.contains("No space left"), equals: true, "\(seen.log)")
    #expect(try folder.text("a.bin.part") == "0123456" && folder.text("a.bin.part.from") == origin)
    bench.disk = WatchedDisk()
    _ = try bench.run(sink(), lines: [row("a")])
    #expect(try folder.text("a.bin") == "0123456789" && folder.names == ["a.bin"])
    expect(asked.entries.last.flatMap { $0.header("Range") }, equals: "bytes=7-")
  }

  /// What is written down of a part.
  private static func origin(
    _ url: String, tag: String = "v1", start: String? = nil, length: String = "200000"
  )
    -> String
  {
    let present = contents(of: "/proc/sys/kernel/random/boot_id").prefix { $0 != "\n" }
    return
      #"{"url":"\#(url)","validator":"\"\#(tag)\"","start":"\#(start ?? String(present))","length":\#(length)}"#
  }

  @Test("what could not be made safe is fetched anew, whole: what is there of it may be in memory alone")
  func failedSync() throws {
    let disk = WatchedDisk()
    disk.syncFailures.withLock { $0 = 1 }
    var bench = bench([.init("one", [("ETag", "\"e\"")])])
    bench.disk = disk
    _ = try bench.run(sink(", attempts: 2, backoff: 0s"), lines: [row("a")])
    #expect(try folder.text("a.bin") == "one" && folder.names == ["a.bin"])
    expect(asked.entries.map { $0.header("Range") }, equals: [nil, nil])
    expect(disk.count("sync"), equals: 2)
  }

  @Test("a dry run prints the command that would fetch it")
  func dryRun() throws {
    var bench = bench([.init("x")])
    bench.isDryRun = true
    let seen = try bench.run(sink(), lines: [row("a b", "http://a/x?api_key=secret")])
    expect(seen.text, equals: "curl -L -o '\(folder.path)/a b.bin' 'http://a/x?api_key=***'\n")
    #expect(folder.names.isEmpty && asked.entries.isEmpty)
  }

  // MARK: - A real server

  private static let whole = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

  private func run(_ server: LoopbackServer, _ more: String = "", _ ids: [String] = ["a"]) throws
    -> SinkBench.Seen
  {
    var bench = SinkBench()
    bench.access = realWeb()
    return try server.serving {
      try bench.run(
        sink(", backoff: 0s\(more)"), lines: ids.map { row($0, "\(server.url)/\($0)") }, isReal: true)
    }
  }

  /// Answers a range where one is asked for and its validator is right.
  private static func answer(_ request: LoopbackServer.Received, tag: String = "\"v1\"")
    -> LoopbackServer.Step
  {
    let start = request.headers["range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
    guard let start, request.headers["if-range"] == tag else {
      return .reply(bytes: whole, ["ETag: \(tag)"])
    }
    if start >= whole.count {
      return .reply("", status: "416 Range Not Satisfiable", ["Content-Range: bytes */\(whole.count)"])
    }
    return .reply(
      bytes: Array(whole[start...]), status: "206 Partial Content",
      ["ETag: \(tag)", "Content-Range: bytes \(start)-\(whole.count - 1)/\(whole.count)"])
  }

  /// The beginning of the answer, and then nothing more.
  private static func broken(at count: Int) -> [LoopbackServer.Step] {
    let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(whole.count)\r\n\r\n"
    return [.send(Array(head.utf8) + whole[..<count]), .close]
  }

  @Test("an interrupted download is resumed by the next attempt")
  func resumed() throws {
    let server = try LoopbackServer { request in
      request.headers["range"] == nil ? Self.broken(at: 70_000) : [Self.answer(request)]
    }
    let seen = try run(server)
    #expect(try folder.bytes("a.bin") == Self.whole && folder.names == ["a.bin"])
    expect(server.received.map { $0.headers["range"] }, equals: [nil, "bytes=70000-"])
    expect(server.received.last?.headers["if-range"], equals: "\"v1\"")
    #expect(seen.log.count == 1 && seen.log[0].contains("; next try in "), "\(seen.log)")
  }

  @Test(
    "another run resumes it, too, and starts over if the file has changed",
    arguments: [true, false])
  func restarted(_ isSame: Bool) throws {
    let first = try LoopbackServer { _ in Self.broken(at: 70_000) }
    _ = try run(first, ", attempts: 1")
    try expect(folder.bytes("a.bin.part"), equals: Array(Self.whole[..<70_000]))
    // Of the same address, though of another port.
    let second = try LoopbackServer { [Self.answer($0, tag: isSame ? "\"v1\"" : "\"v2\"")] }
    let origin = try folder.text("a.bin.part.from").replacing(":\(first.port)/", with: ":\(second.port)/")
    try folder.write("a.bin.part.from", origin)
    _ = try run(second)
    #expect(try folder.bytes("a.bin") == Self.whole && folder.names == ["a.bin"])
    expect(second.received.map { $0.headers["range"] }, equals: ["bytes=70000-"])
  }

  @Test("a part of another address is not resumed")
  func anotherAddress() throws {
    let first = try LoopbackServer { _ in Self.broken(at: 70_000) }
    _ = try run(first, ", attempts: 1")
    let second = try LoopbackServer { [Self.answer($0)] }
    _ = try run(second)
    try expect(folder.bytes("a.bin"), equals: Self.whole)
    expect(second.received.map { $0.headers["range"] }, equals: [nil])
  }

  @Test(
    "a complete part is finished at once; one that is too long is started over",
    arguments: [0, 7])
  func complete(_ surplus: Int) throws {
    let server = try LoopbackServer { [Self.answer($0)] }
    try folder.write("a.bin.part", Self.whole + [UInt8](repeating: 1, count: surplus))
    try folder.write("a.bin.part.from", Self.origin("\(server.url)/a"))
    let seen = try run(server)
    #expect(try folder.bytes("a.bin") == Self.whole && folder.names == ["a.bin"])
    #expect(server.received.count == (surplus == 0 ? 1 : 2) && seen.log.count == (surplus == 0 ? 0 : 1))
  }

  @Test("a part from before a restart of the machine is not resumed: a power cut may have left gaps")
  func anotherStart() throws {
    let server = try LoopbackServer { [Self.answer($0)] }
    try folder.write("a.bin.part", [UInt8](repeating: 0, count: 100))
    try folder.write("a.bin.part.from", Self.origin("\(server.url)/a", start: "another"))
    _ = try run(server)
    #expect(try folder.bytes("a.bin") == Self.whole && folder.names == ["a.bin"])
    expect(server.received.map { $0.headers["range"] }, equals: [nil])
  }

  @Test("a run that was killed when the file had just its name leaves nothing beside it")
  func leftOver() throws {
    try folder.write("a.bin", "whole")
    try folder.write("a.bin.part.from", Self.origin("http://a/x"))
    _ = try bench([.init("x")]).run(sink(), lines: [row("a")])
    #expect(try folder.text("a.bin") == "whole" && folder.names == ["a.bin"])
    #expect(asked.entries.isEmpty)
  }

  @Test("a server that sends another range than was asked for is not believed")
  func wrongRange() throws {
    let server = try LoopbackServer { request in
      guard request.headers["range"] != nil else { return [Self.answer(request)] }
      return [
        .reply(
          bytes: [1, 2, 3], status: "206 Partial Content", ["Content-Range: bytes 5-7/\(Self.whole.count)"])
      ]
    }
    try folder.write("a.bin.part", Array(Self.whole[..<100]))
    try folder.write("a.bin.part.from", Self.origin("\(server.url)/a"))
    _ = try run(server)
    #expect(try folder.bytes("a.bin") == Self.whole && folder.names == ["a.bin"])
    expect(server.received.count, equals: 2)
  }

  @Test(
    "parts of two versions are not joined, whatever the server thinks of If-Range",
    arguments: [
      ("ETag: \"v2\"", "200000"), ("ETag: W/\"v1\"", "200000"), ("Content-Language: pl", "200000"),
      ("ETag: \"v1\"", "199999"), ("ETag: \"v1\"", "*"),
    ])
  func twoVersions(header: String, length: String) throws {
    let new = [UInt8](repeating: 7, count: Self.whole.count)
    let server = try LoopbackServer { request in
      if request.number == 1, request.connection == 1 { return Self.broken(at: 70_000) }
      if request.headers["range"] == nil { return [.reply(bytes: new, ["ETag: \"v2\""])] }
      return [
        .reply(
          bytes: Array(new[70_000...]), status: "206 Partial Content",
          [header, "Content-Range: bytes 70000-199999/\(length)"])
      ]
    }
    _ = try run(server)
    #expect(try folder.bytes("a.bin") == new && folder.names == ["a.bin"])
    expect(server.received.map { $0.headers["range"] }, equals: [nil, "bytes=70000-", nil])
  }

  @Test("a time identifies a version if it is older than the answer, and a range may lack it")
  func modified() throws {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    for (modified, answer, ranges) in [
      ("Sun, 06 Nov 1994 08:49:36 GMT", nil, [nil, "bytes=70000-"]),
      ("Sun, 06 Nov 1994 08:49:36 GMT", "Sun, 06 Nov 1994 08:49:36 GMT", [nil, "bytes=70000-"]),
      ("Sun, 06 Nov 1994 08:49:36 GMT", date, [nil, "bytes=70000-", nil]),
      (date, date, [nil, nil]),
    ] as [(String, String?, [String?])] {
      let server = try LoopbackServer { request in
        if request.headers["range"] != nil {
          return [
            .reply(
              bytes: Array(Self.whole[70_000...]), status: "206 Partial Content",
              ["Content-Range: bytes 70000-199999/200000"] + (answer.map { ["Last-Modified: \($0)"] } ?? []))
          ]
        }
        if request.connection > 1 { return [.reply(bytes: Self.whole, [])] }
        let head =
          "HTTP/1.1 200 OK\r\nDate: \(date)\r\nLast-Modified: \(modified)\r\nContent-Length: 200000\r\n\r\n"
        return [.send(Array(head.utf8) + Self.whole[..<70_000]), .close]
      }
      _ = try run(server)
      #expect(try folder.bytes("a.bin") == Self.whole && folder.names == ["a.bin"])
      expect(server.received.map { $0.headers["range"] }, equals: ranges)
      unlink(folder["a.bin"])
    }
  }

  @Test("a range that is shorter than was asked for is no whole file: the rest is asked for")
  func shortRange() throws {
    let server = try LoopbackServer { request in
      guard let range = request.headers["range"] else { return Self.broken(at: 70_000) }
      let start = Int(range.dropFirst(6).dropLast())!
      let end = min(start + 50_000, 200_000)
      return [
        .reply(
          bytes: Array(Self.whole[start..<end]), status: "206 Partial Content",
          ["ETag: \"v1\"", "Content-Range: bytes \(start)-\(end - 1)/200000"])
      ]
    }
    _ = try run(server, ", attempts: 4")
    #expect(try folder.bytes("a.bin") == Self.whole && folder.names == ["a.bin"])
    expect(server.received.count, equals: 4)
  }

  @Test("a part is not whole because another version has its length")
  func otherLength() throws {
    let server = try LoopbackServer { request in
      guard request.headers["range"] == nil else {
        return [.reply("", status: "416 Range Not Satisfiable", ["Content-Range: bytes */70000"])]
      }
      return request.connection == 1
        ? Self.broken(at: 70_000) : [.reply(bytes: Array(Self.whole[..<70_000]), [])]
    }
    _ = try run(server)
    #expect(try folder.bytes("a.bin") == Array(Self.whole[..<70_000]) && server.received.count == 3)
  }

  @Test("several come at once, an error page is no file, and a redirect is followed")
  func several() throws {
    let server = try LoopbackServer { request in
      switch request.target {
      case "/bad": [.reply("<html>no</html>", status: "404 Not Found")]
      case "/moved": [.reply("see there", status: "302 Found", ["Location: /there"])]
      default: [.pause(milliseconds: 20), Self.answer(request)]
      }
    }
    let ids = (1...12).map { "f\($0)" } + ["bad", "moved"]
    let seen = try run(server, ", concurrency: 4", ids)
    expect(Set(folder.names), equals: Set((ids.filter { $0 != "bad" }).map { "\($0).bin" }))
    for name in folder.names { try expect(folder.bytes(name), equals: Self.whole, "\(name)") }
    expect(seen.statistics.last?.errors, equals: 1)
  }

  @Test("two downloads to one path do not come at a time")
  func onePath() throws {
    let server = try LoopbackServer { [.pause(milliseconds: 30), Self.answer($0)] }
    _ = try run(server, ", concurrency: 4", ["a", "a", "a", "b"])
    expect(server.received.map(\.target).sorted(), equals: ["/a", "/b"])
    #expect(try folder.bytes("a.bin") == Self.whole && folder.bytes("b.bin") == Self.whole)
  }
}
