import Expectations
import Foundation
import Testing

@testable import flow

/// What a run shows at a terminal: a process in a pseudo-terminal, made by Python.
@Suite("flow run at a terminal", .timeLimit(.minutes(30)))
struct RunTerminalTests {
  /// Runs a command in a terminal of so many columns until it has shown a text, presses Ctrl-C, and prints all output.
  private static let terminal = """
    import fcntl, os, pty, struct, sys, termios
    columns, text = int(sys.argv[1]), sys.argv[2].encode()
    child, terminal = pty.fork()
    if child == 0:
      fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
      os.execv(sys.argv[3], sys.argv[3:])
    output, pressed = b"", False
    while True:
      try: part = os.read(terminal, 4096)
      except OSError: break
      if not part: break
      output += part
      if text in output and not pressed:
        pressed = True
        os.write(terminal, b"\\x03")
    sys.stdout.buffer.write(output)
    """

  private static let pipeline = """
    name: watch
    sources: { numbers: { generate: '{ n: 1 }, { n: 2 }', every: 1h } }
    steps: [changes: .n]
    sinks: { screen: { console: '\\(.key)' } }
    """

  /// The output of a run, which is stopped once it has shown a text.
  private func shown(
    _ place: Workplace, columns: Int = 80, until text: String = "never",
    with environment: [String: String] = [:],
    _ arguments: String
  ) throws -> String {
    try place.write("terminal.py", Self.terminal)
    return try place.shell(
      "exec python3 terminal.py \(columns) '\(text)' \"$0\" \(arguments)",
      environment: ["TERM": "xterm", "NO_COLOR": "1"].merging(environment) { $1 }
    ).output
  }

  /// The end of the output, behind the place where the line at the bottom was erased last.
  private func rest(_ output: String) -> String {
    output.components(separatedBy: "\u{1B}[J").last?.replacingOccurrences(of: "\u{1B}[?2026l", with: "") ?? ""
  }

  @Test("the line at the bottom follows the run, is never wider than the terminal, and is gone at the end")
  func line() throws {
    let place = try Workplace(Self.pipeline)
    let wide = try shown(place, until: " s ago", "run p.yaml")
    #expect(wide.contains(#/2 rows · polled \d+ s ago · next in (60|59) min · 0 changes/#), "\(wide)")
    let end = rest(wide).replacingOccurrences(of: "\r", with: "")
    #expect(
      end.hasPrefix("watch: stopped after ") && end.hasSuffix("s: 1 poll, 2 events, 0 outputs\n"), "\(end)")
    let narrow = try shown(place, columns: 30, until: "next in", "run p.yaml")
    #expect(narrow.contains(#/\[2Knext in (60|59) min · 0 changes/#), "\(narrow)")
  }

  @Test("a run that completes reports what it has done; with -q there is nothing, and no line with TERM=dumb")
  func completion() throws {
    let place = try Workplace(Self.pipeline)
    let completed = try shown(place, "run --once p.yaml")
    #expect(completed.contains(#/watch: completed after \ds: 1 poll, 2 events, 0 outputs/#), "\(completed)")
    try expect(shown(place, "run --once -q p.yaml"), equals: "")
    let dumb = try shown(place, until: "watching 2 rows", with: ["TERM": "dumb"], "run --for 2s p.yaml")
    #expect(dumb.contains("watching 2 rows") && !dumb.contains("\u{1B}"), "\(dumb)")
    #expect(try place.run("--once").errors.isEmpty)
    // The reader of a pipe may write to the same terminal, and must not be erased.
    try place.write("piped", "\"$1\" run --for 2s p.yaml | cat\n")
    let piped = try place.shell("exec python3 terminal.py 80 never /bin/sh piped \"$0\"").output
    #expect(piped.contains("stopped after") && !piped.contains("\u{1B}"), "\(piped)")
  }

  @Test(
    "what does not fit the terminal is shown by the pager, unless --no-pager or an empty PAGER forbids it")
  func pager() throws {
    let place = try Workplace(Self.pipeline)
    let pager = ["PAGER": "head -n 2"]
    try expect(shown(place, with: pager, "docs changes").split(separator: "\r\n").count, equals: 2)
    #expect(try shown(place, with: pager, "docs changes --no-pager").split(separator: "\r\n").count > 100)
    #expect(try shown(place, with: ["PAGER": ""], "docs changes").split(separator: "\r\n").count > 100)
    // What fits is printed.
    #expect(try shown(place, with: pager, "docs --search 'rate limit'").split(separator: "\r\n").count > 2)
    expectNil(Pager.command { ["TERM": "dumb", "PAGER": "more"][$0] })
    expectNil(Pager.command { ["PATH": "/nonexistent"][$0] })
  }

  @Test("errors of a pipeline have colours on a terminal, and no control characters of the file")
  func colours() throws {
    let place = try Workplace("sources: { i: stdin }\nsinks: { o: { consle: a\u{1} } }\n")
    let plain = try shown(place, "check p.yaml")
    #expect(plain.contains("did you mean “console”?") && !plain.contains("\u{1B}"), "\(plain)")
    let coloured = try shown(place, with: ["NO_COLOR": ""], "check p.yaml")
    #expect(coloured.contains("\u{1B}[1mp.yaml:2:15:\u{1B}[0m unknown sink"), "\(coloured)")
    #expect(coloured.contains("\u{1B}[31m^^^^^^\u{1B}[0m") && coloured.contains("\u{1B}[36mhint:\u{1B}[0m"))
    #expect(coloured.replacing(#/\u{1B}\[\d+m/#, with: "") == plain)
  }
}
