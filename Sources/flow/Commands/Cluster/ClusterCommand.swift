import Cluster
import Engine
import Language
import NATS
import System

/// `flow cluster`: what the workers of a cluster do, and whether its servers are fit for it.
enum ClusterCommand {
  static let command = Command(
    Manual(
      "cluster", "show, check, back up and restore a cluster",
      about: """
        URLS are the addresses of the NATS servers, separated by commas, as for flow run --cluster. A machine leaves the \
        cluster when its flow run receives SIGTERM, or with flow cluster drain: it commits, and the others continue at \
        once.
        """,
      examples: [
        ("flow cluster config > nats-server.conf", "a configuration of the servers"),
        (
          "flow cluster check nats://a,nats://b,nats://c", "whether the servers keep what a cluster relies on"
        ),
        ("flow cluster status nats://a,nats://b,nats://c", "machines, and what runs where"),
        (
          "flow cluster drain nats://a,nats://b,nats://c web-2",
          "let others take over what web-2 runs, to update it"
        ),
        ("flow cluster backup nats://a,nats://b,nats://c /backup/monday", "copy the states while it runs"),
      ]),
    parts: [
      ClusterStatus.command, ClusterDrain.command, ClusterBackupCommand.backup, ClusterBackupCommand.restore,
      check, config,
    ])

  private static let check = Command(
    Manual(
      "cluster check", "check that servers keep what a cluster relies on", operands: .one("URLS"),
      about: """
        It connects, makes the streams where they are missing, and tries a log of its own: a record behind an outdated one \
        must be refused, and what was stored must be read again. Servers before nats-server 2.14 are refused. Whether \
        sync_interval is always cannot be seen from outside.
        """)
  ) { arguments throws(WrongUse) in
    try run("check", arguments, begins: true) { (journal) throws(JournalError) in
      let task = "check \(String(UInt64.random(in: 0 ... .max), radix: 36))"
      let first = try journal.append([1], to: task, after: 0)
      let second = try journal.append([2], to: task, after: first)
      for former in [0, first] {
        do throws(JournalError) {
          _ = try journal.append([3], to: task, after: former)
        } catch {
          if error == .conflict { continue }
          throw error
        }
        throw .refused("a record behind an outdated one was accepted: these servers cannot be used")
      }
      guard try journal.last(of: task) == JournalRecord(sequence: second, bytes: [2]),
        try journal.read(task, from: first).map(\.bytes) == [[1], [2]]
      else { throw .refused("what was stored is not read again: these servers cannot be used") }
      try journal.remove(task)
      Terminal.say("the servers are fit for a cluster\n")
      return ExitStatus.done
    }
  }

  private static let config = Command(
    Manual("cluster config", "print a nats-server.conf for one of the servers")
  ) { _ in
    Terminal.say(
      """
      # One of three servers of a cluster for flow: nats-server 2.14 or newer, started with -c FILE.
      # Each has a server_name and a store_dir of its own; the routes are the same on all.
      server_name: a
      listen: "0.0.0.0:4222"
      max_payload: 8MB
      ping_interval: "5s"
      ping_max: 2
      jetstream {
        store_dir: "/var/lib/nats"
        # What is acknowledged survives a power cut.
        sync_interval: always
      }
      cluster {
        name: flow
        listen: "0.0.0.0:6222"
        routes: [ "nats://a:6222", "nats://b:6222", "nats://c:6222" ]
      }
      # What follows is taken without the marks "#: " at the beginning of its lines.
      # An account that stores and reads what flow stores, and nothing else; its address: nats://flow:PASSWORD@a
      #: authorization {
      #:   users: [
      #:     {
      #:       user: flow, password: $FLOW_PASSWORD
      #:       permissions: {
      #:         subscribe: [ "_INBOX.>", "flow.pack.>" ]
      #:         publish: [
      \(JetStreamJournal.subjects.map { "#:           \"\($0)\"" }.joined(separator: "\n"))
      #:         ]
      #:       }
      #:     }
      #:   ]
      #: }
      # Encryption; its address: tls://flow:PASSWORD@a
      #: tls { cert_file: "/etc/nats/server.pem", key_file: "/etc/nats/server.key", timeout: 5 }

      """)
    return ExitStatus.done
  }

  /// Connects to the servers of the first operand, and calls `body`; the exit status.
  ///
  /// With `begins` the streams are made where they are missing.
  static func run(
    _ name: String, _ arguments: Arguments, begins: Bool = false,
    _ body: (JetStreamJournal) throws(JournalError) -> Int32
  ) throws(WrongUse) -> Int32 {
    let urls = try RunCluster.urls(arguments.operands.first ?? "")
    var options = JetStreamJournal.Options(servers: urls, replicas: RunCluster.replicas(urls))
    options.start = begins ? .begin : .look
    do throws(JournalError) {
      return try body(try JetStreamJournal(options, stop: StopSign()))
    } catch {
      Terminal.complain("flow cluster \(name): \(printable(error.description))\n")
      return ExitStatus.failed
    }
  }
}
