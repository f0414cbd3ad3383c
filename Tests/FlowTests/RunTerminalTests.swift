import Foundation
import Testing

/// What a run shows at a terminal: a process in a pseudo-terminal, made by Python.
@Suite("flow run at a terminal", .timeLimit(.minutes(10)))
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
    _ place: Workplace, columns: Int = 80, until text: String = "never", terminal: String = "xterm",
    _ arguments: String
  ) throws -> String {
    try place.write("terminal.py", Self.terminal)
    return try place.shell(
      "exec python3 terminal.py \(columns) '\(text)' \"$0\" run \(arguments)",
      environment: ["TERM": terminal, "NO_COLOR": "1"]
    ).output
  }

  /// The end of the output, behind the place where the line at the bottom was erased last.
  private func rest(_ output: String) -> String {
    output.components(separatedBy: "\u{1B}[J").last?.replacingOccurrences(of: "\u{1B}[?2026l", with: "") ?? ""
  }

  @Test("the line at the bottom follows the run, is never wider than the terminal, and is gone at the end")
  func line() throws {
    let place = try Workplace(Self.pipeline)
    let wide = try shown(place, until: "polled 1 s ago", "p.yaml")
    #expect(wide.contains("2 rows · polled 1 s ago · next in 60 min · 0 changes\r\n"), "\(wide)")
    #expect(
      rest(wide).contains(#/^watch: stopped after \ds: 1 poll, 2 events, 0 outputs\r\n$/#), "\(wide)")
    let narrow = try shown(place, columns: 30, until: "next in", "p.yaml")
    #expect(narrow.contains("\u{1B}[2Knext in 60 min · 0 changes\r\n"), "\(narrow)")
  }

  @Test("a run that completes reports what it has done; with -q there is nothing, and no line with TERM=dumb")
  func completion() throws {
    let place = try Workplace(Self.pipeline)
    #expect(
      try shown(place, "--once p.yaml").hasSuffix(
        "watch: completed after 0s: 1 poll, 2 events, 0 outputs\r\n"))
    #expect(try shown(place, "--once -q p.yaml") == "")
    let dumb = try shown(place, until: "watching 2 rows", terminal: "dumb", "--for 2s p.yaml")
    #expect(dumb.contains("watching 2 rows") && !dumb.contains("\u{1B}"), "\(dumb)")
    #expect(try place.run("--once").errors.isEmpty)
  }
}
