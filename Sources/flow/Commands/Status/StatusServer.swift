import Engine
import Glibc
import JSON
import Reactive
import Store
import System

/// The server of a run's status: a socket, `PROCESS.sock`, in each state folder that its pipelines use.
///
/// A client sends a line of JSON, `{"get": "status"}`, and receives one line; for `{"get": "tap", …}` see `TapConnection`.
/// `{"get": "unacknowledged"}` and `{"acknowledge": ["KEY"]}` are for `flow ack`, and
/// `{"stop": ["NAME"]}` is for `flow stop`.
/// One thread serves all but taps, and sleeps until a client connects. A missing folder is made until the end, since
/// simulated runs keep no state in it; where it cannot be, the run goes without: observing never prevents it.
final class StatusServer: Sendable {
  /// How long a client may take to read its answer, in seconds.
  private static let timeout = 2
  /// So many clients may be connected that have not asked yet; with one more, the oldest is cut off.
  private static let mostWaiting = 64

  private let paths: [String]
  /// The folders that did not exist, inner ones first.
  private let made: [String]
  private let end = StopSign()
  private let taps = TapConnections()

  init(in folders: [String], _ roster: RunRoster) {
    var (listeners, paths, made): ([Int32], [String], [String]) = ([], [], [])
    for folder in folders {
      let path = "\(folder)/\(getpid()).sock"
      do {
        made += StatusServer.missingFolders(of: path)
        try StateFolder.make(for: path, SystemDisk())
        StatusServer.removeLeftovers(in: folder)
        var socket = try LocalSocket.listen(at: path)
        listeners.append(socket.release())
        paths.append(path)
      } catch { continue }
    }
    (self.paths, self.made) = (paths, made)
    if !listeners.isEmpty, end.descriptor >= 0 { StatusServer.serve(listeners, until: end, roster, taps) }
  }

  /// Removes the sockets, and ends the threads; taps first send what they have.
  func close() {
    for path in paths { unlink(path) }
    // Those in which something else is by now stay.
    for folder in made { rmdir(folder) }
    end.set()
    taps.waitForEnds()
  }

  private static func missingFolders(of path: String) -> [String] {
    let folder = splitPath(path).folder
    return folder == path || access(folder, F_OK) == 0 ? [] : [folder] + missingFolders(of: folder)
  }

  /// Removes sockets of processes that were killed.
  private static func removeLeftovers(in folder: String) {
    for name in (try? namesOfFiles(in: folder)) ?? [] where name.hasSuffix(".sock") {
      guard let process = Int32(name.dropLast(5)) else { continue }
      if process == getpid() || kill(process, 0) != 0 && errno == ESRCH { unlink("\(folder)/\(name)") }
    }
  }

  private static func serve(
    _ listeners: [Int32], until end: StopSign, _ roster: RunRoster, _ taps: TapConnections
  ) {
    _ = startThread(named: "flow-status") {
      // One that asks nothing keeps no other waiting.
      var clients: [Int32] = []
      while true {
        let ready = awaitDescriptors((listeners + clients + [end.descriptor]).map { .input($0) })
        if end.isSet { break }
        for (client, isReady) in zip(clients, ready.dropFirst(listeners.count)) where isReady {
          clients.removeAll { $0 == client }
          var connection = Descriptor(owning: client)
          answer(&connection, until: end, roster, taps)
        }
        for (listener, isReady) in zip(listeners, ready) where isReady {
          var connection = LocalSocket.accept(on: listener)
          if connection.isOpen { clients.append(connection.release()) }
        }
        if clients.count > mostWaiting { Glibc.close(clients.removeFirst()) }
      }
      for client in clients { Glibc.close(client) }
      for listener in listeners { Glibc.close(listener) }
    }
  }

  private static func answer(
    _ connection: inout Descriptor, until end: StopSign, _ roster: RunRoster, _ taps: TapConnections
  ) {
    LocalSocket.setTimeout(timeout, of: connection.number)
    guard let line = LocalSocket.readLine(from: connection.number) else { return }
    let request = try? Value.parse(line)
    if let keys = request?.member("acknowledge")?.items {
      return send(AckCommand.json(roster.acknowledge(Set(keys.compactMap(\.string)))), to: connection.number)
    }
    if let names = request?.member("stop")?.items {
      return send(stop(Set(names.compactMap(\.string)), roster), to: connection.number)
    }
    switch request?.member("get")?.string {
    case "status": send(roster.status().jsonValue, to: connection.number)
    case "unacknowledged": send(AckCommand.json(roster.unacknowledged()), to: connection.number)
    case "tap":
      do throws(WrongUse) {
        try taps.open(TapRequest(request ?? .null, roster), over: &connection, until: end, roster)
      } catch {
        send(.record([("error", .string(error.message))]), to: connection.number)
      }
    default: send(.record([("error", .string("unknown request"))]), to: connection.number)
    }
  }

  /// Shuts the run down as SIGTERM does, if all of its pipelines that run are named.
  private static func stop(_ names: Set<String>, _ roster: RunRoster) -> Value {
    let running = roster.outlines().filter { !$0.phase.isOver }.map(\.name)
    let others = running.filter { !names.contains($0) }
    if !others.isEmpty { return .record([("others", .array(others.map { .string($0) }))]) }
    return .record([("stopping", .bool(kill(getpid(), SIGTERM) == 0))])
  }

  private static func send(_ answer: Value, to connection: Int32) {
    _ = LocalSocket.write(answer.json + [0x0a], to: connection)
  }
}
