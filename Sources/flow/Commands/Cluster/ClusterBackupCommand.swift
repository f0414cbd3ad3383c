import Cluster
import Engine
import Glibc
import Language
import Reactive
import Store
import System

/// `flow cluster backup` and `flow cluster restore`.
enum ClusterBackupCommand {
  static let backup = Command(
    Manual(
      "cluster backup", "copy the states of a cluster while it runs", operands: .one("DIR").after("URLS"),
      about: """
        It copies the state of each pipeline as its log has it at a moment, what is on the way between the tasks below a \
        partition and what sends to them, and the request budgets that the machines share, into DIR, which must be new or empty. \
        The pipelines go on meanwhile. Each is whole by itself; two pipelines of which one reads what the other writes are of different \
        moments. DIR/backup.json is written last: a folder without it is no backup. flow state show PIPELINE --state DIR/states shows \
        what is in it.
        """,
      examples: [
        ("flow cluster backup nats://a,nats://b,nats://c /backup/flow-$(date +%F)", "each night, by cron")
      ])
  ) { arguments throws(WrongUse) in
    let path = arguments.operands[1]
    return try run("backup", arguments) { journal in
      let folder = ClusterBackup.Folder(path: path)
      if let names = try? namesOfFiles(in: path), names.contains(where: { ![".", ".."].contains($0) }) {
        throw Sentence("\(path) is not empty; a backup has a folder of its own")
      }
      let start = MonotonicClock.now
      let backup = try ClusterBackup.make(of: journal, in: folder) { Terminal.say("\(printable($0))\n") }
      let time = Duration.milliseconds(((MonotonicClock.now - start) / .milliseconds(1)).rounded())
      Terminal.say(
        "\(StateText.count(backup.assignments.count, "state")) in \(path), copied in \(DurationText.format(time))\n"
      )
    }
  }

  static let restore = Command(
    Manual(
      "cluster restore", "begin an empty cluster with a backup", operands: .one("DIR").after("URLS"),
      about: """
        It is for new servers, or for those that have lost what they had: servers with a log of one of the pipelines are refused, and \
        so is a cluster with machines in it. Start flow run --cluster behind it, with the pipeline files that were there before.

        What the pipelines had done between the backup and the loss they do again: sources are read from where they were at the backup, \
        as far as they still have it, and what comes of that is sent again, under other ids, so that no receiver takes it for a repeat. \
        So a receiver hears some of it twice: a table behind an sql sink gets the same rows by their key, and one without a key \
        gets them once more; files of a pipeline with `at` keep their lines, and those behind the backup come again.
        """,
      examples: [
        ("flow cluster restore nats://a,nats://b,nats://c /backup/flow-2026-11-29", "the servers are empty")
      ])
  ) { arguments throws(WrongUse) in
    let path = arguments.operands[1]
    return try run("restore", arguments, begins: true) { journal in
      let folder = ClusterBackup.Folder(path: path)
      let backup = try ClusterBackup(in: folder)
      let scratch = "\(Terminal.environment("TMPDIR") ?? "/tmp")/flow-restore-\(getpid()).db"
      defer { unlink("\(scratch).lock") }
      try backup.restore(into: journal, from: folder, scratch: scratch) {
        Terminal.say("\(printable($0))\n")
      }
      Terminal.say(
        "restored \(StateText.count(backup.assignments.count, "state")) of \(StateText.time(backup.at)), "
          + "\(StateText.age(World.real.wallClock() - backup.at)); next: flow run --cluster on each machine\n"
      )
    }
  }

  /// Reports what goes wrong as the command's, with the exit status.
  private static func run(
    _ name: String, _ arguments: Arguments, begins: Bool = false, _ body: (JetStreamJournal) throws -> Void
  ) throws(WrongUse) -> Int32 {
    try ClusterCommand.run(name, arguments, begins: begins) { (journal) throws(JournalError) in
      do {
        try body(journal)
        return ExitStatus.done
      } catch {
        Terminal.complain("flow cluster \(name): \(printable("\(error)"))\n")
        return ExitStatus.failed
      }
    }
  }
}
