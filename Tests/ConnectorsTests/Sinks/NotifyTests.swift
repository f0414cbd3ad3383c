import Expectations
@testable import Connectors
import Trials
import TestSupport
import Engine
import Language
import Testing

import System

@Suite(.serialized, .timeLimit(.minutes(30))) struct NotifyTests {
  private let lines = (1...3).map { #"{"name":"n\#($0)\u001b"}"# }

  @Test("without a desktop it is a line in the log, and the bell of a terminal")
  func bell() throws {
    let sink = #"tell: { notify: { title: '\(.name)', body: "is\nhere" } }"#
    let seen = try SinkBench(isTerminal: true).run(sink, lines: lines)
    expect(seen.log, equals: (1...3).map { "tell: n\($0)\\u001b: is; here" })
    expect(seen.writes, equals: ["\u{07}"])
    try expect(SinkBench().run(sink, lines: lines).writes, equals: [])
  }

  @Test("a command gets the title and the body as its last arguments")
  func command() throws {
    let sink = #"tell: { notify: { title: '--\(.name)', body: "$(id)\n&", command: [printf, '%s|'] } }"#
    try expect(SinkBench().run(sink, lines: [lines[0]]).log, equals: ["tell: --n1\\u001b|$(id)", "tell: &|"])
  }

  @Test("excess notifications are combined into a digest, shown after the period or at the end")
  func digests() throws {
    let sink = #"tell: { notify: { title: '\(.name)', at_most: 1 in 90s } }"#
    let named = (1...13).map { [#"{"name":"n\#($0)"}"#] }
    let seen = try SinkBench(afterwards: .seconds(100)).run(sink, polls: named)
    let first = (2...11).map { "n\($0)" }.joined(separator: "; ")
    let told = ["tell: n1", "tell: 12 more: p: \(first); … and 2 more"]
    expect(seen.log.filter { $0.hasPrefix("tell") }, equals: told)
    let early = try SinkBench().run(sink, polls: Array(named.prefix(3)))
    expect(early.log.filter { $0.hasPrefix("tell") }, equals: ["tell: n1", "tell: 2 more: p: n2; n3"])
  }

  @Test("a command that fails is reported and does not block the others")
  func failing() throws {
    let sink = #"tell: { notify: { title: '\(.name)', command: [sh, -c, 'test "$0" != n1 && echo ok'] } }"#
    let seen = try SinkBench().run(sink, lines: [#"{"name":"n1"}"#, #"{"name":"n2"}"#])
    expect(seen.log.sorted(), equals: ["tell: ok", "tell: “sh”: exit status 1\n    in: {\"name\":\"n1\"}"])
    expect(seen.statistics.last?.errors, equals: 1)
  }

  @Test("titles and bodies are short, and no markup for a desktop")
  func notes() throws {
    let note = NotificationText(title: String(repeating: "火", count: 10_000), body: "a <b>\n\u{1B}&")
    expect(note.title.count, equals: 201)
    var world = World.real
    world.environment = { _ in nil }
    let channel = NotifyChannel(.notifySend, [], .critical, world)
    let arguments = try #require(channel.arguments(NotificationText(title: "-x", body: note.body)))
    expect(
      arguments,
      equals: [
        "notify-send", "--app-name=flow", "--urgency=critical", "--", "-x", "a &lt;b&gt;\n\\u001b&amp;",
      ])
  }

  @Test("notify-send is chosen where it is and there is a desktop")
  func automatic() {
    let folder = Folder()
    _ = folder.write("notify-send", "#!/bin/sh\n")
    func kind(_ environment: [String: String], _ command: [String] = []) -> String? {
      var world = World.real
      world.environment = { environment[$0] }
      return NotifyChannel(.auto, command, .low, world).arguments(NotificationText(title: "t", body: ""))?
        .first
    }
    expect(kind(["PATH": folder.path, "DISPLAY": ":0"]), equals: "notify-send")
    expectNil(kind(["PATH": folder.path]))
    expectNil(kind(["PATH": "/nowhere", "WAYLAND_DISPLAY": "w"]))
    expect(kind(["PATH": folder.path, "DISPLAY": ":0"], ["./tell.sh"]), equals: "./tell.sh")
  }

  @Test("options that do not go together are refused")
  func problems() {
    let none = SinkBench.problems("t: { notify: { title: x, through: command } }")
    #expect(none.contains("through: command needs a command"))
    let unused = SinkBench.problems("t: { notify: { title: x, through: bell, command: [a] } }")
    #expect(unused.contains("no effect"))
  }
}
