import Cluster
import Engine
import Glibc
import Language
import Reactive
import System

/// `flow cluster drain`: a machine leaves the cluster, and the others take over what it runs.
enum ClusterDrain {
  private static let timeout = CommandOption(
    "timeout", .value("TIME"), "give up after this time; default 30s")

  static let command = Command(
    Manual(
      "cluster drain", "let others take over what a machine runs", operands: .optional("HOST").after("URLS"),
      options: [timeout],
      about: """
        It requests that HOST leave the cluster, by default this machine: its flow run commits, releases all pipelines, \
        and ends with status 0; the others continue within a second. The command waits for that. HOST is a name as \
        flow cluster status shows it, with or without the part behind the slash. To update machines without a gap: drain \
        one, update it, start it again, go on with the next.
        """,
      examples: [("flow cluster drain nats://a,nats://b,nats://c web-2", "before web-2 is updated")])
  ) { arguments throws(WrongUse) in
    let host = arguments.operands.count > 1 ? arguments.operands[1] : hostName()
    let limit = try RunOption.duration(arguments.text(timeout), timeout) ?? .seconds(30)
    return try ClusterCommand.run("drain", arguments) { (journal) throws(JournalError) in
      func named() throws(JournalError) -> [String] {
        try journal.workers().map(\.name).filter { $0 == host || WorkerLease.machine(of: $0) == host }
      }
      let workers = try named()
      if workers.isEmpty {
        let all = try journal.workers().map { printable($0.name) }.joined(separator: ", ")
        Terminal.complain(
          "flow cluster drain: no machine \(quoted(host)) is in the cluster; "
            + (all.isEmpty ? "there is none\n" : "there \(all.contains(",") ? "are" : "is") \(all)\n"))
        return ExitStatus.failed
      }
      let end = MonotonicClock.now + limit
      var left = workers
      while !left.isEmpty {
        // A request is forgotten after some seconds.
        for worker in left { try journal.requestLeave(of: worker) }
        for _ in 0..<20 where !left.isEmpty {
          usleep(50_000)
          let present = Set(try named())
          left.removeAll { !present.contains($0) }
        }
        if !left.isEmpty, MonotonicClock.now >= end {
          Terminal.complain(
            "flow cluster drain: \(printable(left.joined(separator: ", "))) has not left in "
              + "\(DurationText.format(limit))\n")
          return ExitStatus.failed
        }
      }
      Terminal.say("\(printable(workers.joined(separator: ", "))) has left\n")
      return ExitStatus.done
    }
  }
}
