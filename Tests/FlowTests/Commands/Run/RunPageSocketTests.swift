import TestSupport
import Expectations
import Foundation
import Testing

/// Socket activation of the page: the socket comes from the service manager.
@Suite("The page's socket from a service manager", .timeLimit(.minutes(30)))
struct RunPageSocketTests {
  /// Starts the command as systemd does: with a listening socket as descriptor 3.
  private static let manager = """
    import os, socket, sys
    if sys.argv[1] == "unix":
        server = socket.socket(socket.AF_UNIX); server.bind("s")
    else:
        server = socket.socket(); server.bind(("127.0.0.1", 0))
    if sys.argv[2] == "listening": server.listen()
    name = server.getsockname()
    print(name if isinstance(name, str) else name[1], file=open("port.new", "w"), flush=True)
    os.rename("port.new", "port")
    if server.fileno() != 3: os.dup2(server.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="page.socket")
    os.execv(sys.argv[3], sys.argv[3:])
    """
  private static let pipeline = """
    name: watch
    sources: { numbers: { exec: { command: [sh, -c, 'echo "{\\"n\\":\\"$${LISTEN_FDS-none}\\"}"'] }, every: 1h } }
    sinks: { log: { jsonl: log.jsonl }, numbers: { page: { as: list, key: .n, title: .n } } }
    """

  private func start(_ kind: String, _ state: String, in place: Workplace) throws -> Running {
    try place.write("manager.py", Self.manager)
    return try Running(
      ["python3", "manager.py", kind, state, try flowCommand().path, "run", "--page", "p.yaml"],
      of: "/usr/bin/env",
      in: place, input: .open)
  }

  @Test(
    "the page is served at the socket's address, which commands do not inherit", arguments: ["tcp", "unix"])
  func passed(kind: String) throws {
    let place = try Workplace(Self.pipeline)
    let run = try start(kind, "listening", in: place)
    try run.waitForErrors("page: ")
    let port = place.text("port").trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(
      run.errors.contains(kind == "unix" ? "page: unix:s\n" : "page: http://127.0.0.1:\(port)/\n"),
      "\(run.errors)")
    try run.waitForLines(1, in: "log.jsonl")
    expect(place.lines("log.jsonl").first?.contains(#""n":"none""#), equals: true)
    let page = try place.shell(
      "curl -s " + (kind == "unix" ? "--unix-socket s http://localhost/" : "http://127.0.0.1:\(port)/"))
    #expect(page.output.contains("<title>"))
    try expect(run.end(by: SIGTERM).outcome.status, equals: 0)
    // The path belongs to the manager, which listens there for the next run.
    #expect(kind == "tcp" || place.has("s"))
  }

  @Test("a descriptor that does not listen is reported")
  func notListening() throws {
    let place = try Workplace(Self.pipeline)
    let outcome = try start("tcp", "bound", in: place).end()
    #expect(outcome.status == 2 && outcome.errors.contains("not a listening socket"), "\(outcome)")
  }
}
