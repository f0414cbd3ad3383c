import Expectations
import Glibc
import Reactive
import Testing

import TestSupport
@testable import System

@Suite(.serialized, .timeLimit(.minutes(30))) struct ChildCommandTests {
  private let megabytes = [UInt8](repeating: 0x78, count: 10_000_000)

  @Test("its end is reported: a status or a signal")
  func ends() {
    expect(ChildCommand(arguments: ["true"]).run().end, equals: .exited(0))
    expect(shell("exit 7").run().end, equals: .exited(7))
    expect(shell("kill -KILL $$").run().end, equals: .signaled(SIGKILL))
  }

  @Test("what it prints is captured up to a limit, the rest counted")
  func captured() {
    expect(text(shell("echo a; echo b").run()), equals: "a\nb\n")
    var command = shell("printf 1234567890")
    command.output = .captured(limit: 4)
    let result = command.run()
    expect(text(result), equals: "1234")
    expect(result.outputLost, equals: 6)
    command.output = .discarded
    #expect(command.run().output.isEmpty)
  }

  @Test("it reads all of its input, however much")
  func input() {
    var command = ChildCommand(arguments: ["cat"], timeout: .seconds(20))
    command.output = .captured(limit: 20_000_000)
    let result = command.run(input: megabytes)
    expect(result.end, equals: .exited(0))
    expect(result.output, equals: megabytes)
    command.arguments = ["wc", "-c"]
    expect(text(command.run()), equals: "0\n")
  }

  @Test("all of its input exists when it starts, in case its writer dies")
  func inputFromTheStart() {
    var command = shell("stat -L -c %s /proc/self/fd/0")
    command.output = .captured(limit: 100)
    expect(text(command.run(input: megabytes)), equals: "\(megabytes.count)\n")
  }

  @Test("input that it does not read is no error, whether it ends or closes or waits")
  func unreadInput() {
    expect(ChildCommand(arguments: ["true"]).run(input: megabytes).end, equals: .exited(0))
    expect(shell("exec 0<&-; sleep 0.1; exit 3").run(input: megabytes).end, equals: .exited(3))
    expect(shell("sleep 0.1; exit 4").run(input: megabytes).end, equals: .exited(4))
    let hangs = ChildCommand(arguments: ["sleep", "100"], timeout: .milliseconds(100))
    expect(hangs.run(input: megabytes).end, equals: .timedOut)
  }

  @Test("the process does not get a signal for input that is not read, nor keeps one")
  func pipeSignal() {
    var mask = sigset_t()
    for _ in 0..<20 { _ = ChildCommand(arguments: ["true"]).run(input: megabytes) }
    pthread_sigmask(SIG_SETMASK, nil, &mask)
    expect(sigismember(&mask, SIGPIPE), equals: 0)
    sigpending(&mask)
    expect(sigismember(&mask, SIGPIPE), equals: 0)
  }

  @Test(
    "one that prints endlessly is ended after its timeout, using little memory",
    arguments: ["yes", "yes >&2"])
  func printsForEver(_ line: String) {
    var command = shell("exec \(line)", timeout: .milliseconds(300))
    command.output = .captured(limit: 1000)
    var lines = 0
    var last = ""
    let took = elapsed {
      let result = command.run { line in
        lines += 1
        last = line
      }
      expect(result.end, equals: .timedOut)
      #expect(result.output.count <= 1000)
      #expect(line != "yes" || result.outputLost > 100_000)
    }
    #expect(took < .seconds(10))
    #expect(lines <= 1001)
    #expect(line == "yes" || last.hasSuffix("more not shown"))
  }

  @Test("one that leaves another behind, which holds its pipes, ends when it ends itself")
  func grandchild() {
    let took = elapsed {
      let result = shell("sleep 100 & echo $!; exit 5").run(input: megabytes)
      expect(result.end, equals: .exited(5))
      let left = text(result).filter(\.isNumber)
      #expect(!left.isEmpty)
      #expect(eventually { isDead(left) })
    }
    #expect(took < .seconds(10))
  }

  @Test("what a command with status 0 has left in the background goes on")
  func background() {
    let folder = Folder()
    let note = folder.path + "/note"
    let result = shell("(sleep 0.5; echo played > \(note)) >/dev/null 2>&1 & exit 0").run()
    expect(result.end, equals: .exited(0))
    #expect(eventually { contents(of: note) == "played\n" })
  }

  @Test("one that has left the group and holds the pipes, even printing, is not waited for")
  func daemon() {
    let took = elapsed {
      let result = shell("setsid sh -c 'echo $$; exec sleep 5' & sleep 0.3; exit 6").run()
      expect(result.end, equals: .exited(6))
      if let daemon = pid_t(text(result).filter(\.isNumber)) { kill(daemon, SIGKILL) }
    }
    #expect(took < .seconds(4))
    let printing = elapsed {
      var command = shell("setsid sh -c 'echo $$; exec yes' & sleep 0.2; exit 6")
      command.output = .captured(limit: 10)
      let result = command.run()
      expect(result.end, equals: .exited(6))
      if let daemon = pid_t(text(result).prefix { $0 != "\n" }) { kill(daemon, SIGKILL) }
    }
    #expect(printing < .seconds(4))
  }

  @Test("at its time SIGTERM goes to the whole group, which may end in order")
  func terminated() {
    let folder = Folder()
    let note = folder.path + "/note"
    let command = shell(
      "trap 'echo ended > \(note); exit 0' TERM; sleep 100 & echo $!; wait", timeout: .milliseconds(300))
    let result = command.run()
    expect(result.end, equals: .timedOut)
    expect(contents(of: note), equals: "ended\n")
    #expect(eventually { isDead(text(result).filter(\.isNumber)) })
  }

  @Test("one that does not heed SIGTERM gets SIGKILL, and so do those it has started")
  func killed() {
    var command = shell(
      "trap '' TERM; sh -c 'while :; do sleep 0.05; done' & echo $!; while :; do sleep 0.05; done",
      timeout: .milliseconds(200))
    command.killAfter = .milliseconds(200)
    let took = elapsed {
      let result = command.run()
      expect(result.end, equals: .timedOut)
      let left = text(result).filter(\.isNumber)
      #expect(!left.isEmpty)
      #expect(eventually { isDead(left) })
    }
    #expect(took >= .milliseconds(400))
    #expect(took < .seconds(10))
  }

  @Test("one that is suspended is ended at its time too")
  func suspended() {
    var command = shell("kill -STOP $$", timeout: .milliseconds(100))
    command.killAfter = .seconds(60)
    expect(command.run().end, equals: .timedOut)
  }

  @Test("what it says on its standard error comes line by line, while it runs")
  func errorLines() {
    var lines: [(String, Instant)] = []
    let start = MonotonicClock.now
    let result = shell("echo one >&2; sleep 0.5; printf 'two\\nthree' >&2; echo out").run { line in
      lines.append((line, MonotonicClock.now))
    }
    expect(lines.map(\.0), equals: ["one", "two", "three"])
    expect(text(result), equals: "out\n")
    if let first = lines.first, let last = lines.last { #expect(last.1 - first.1 > .milliseconds(250)) }
    #expect(MonotonicClock.now - start >= .milliseconds(500))
  }

  @Test("variables arrive on top of our own")
  func environment() {
    setenv("FLOW_TEST_OURS", "ours", 1)
    setenv("FLOW_TEST_BOTH", "ours", 1)
    var command = shell(
      "echo $FLOW_TEST_OURS $FLOW_TEST_BOTH $FLOW_TEST_LATER; env | grep -c FLOW_TEST_BOTH=")
    command.environment = ["FLOW_TEST_BOTH": "its own", "FLOW_TEST_LATER": "never seen"]
    expect(text(command.run(environment: ["FLOW_TEST_LATER": "=x\n"])), equals: "ours its own =x\n1\n")
    expect(text(shell("echo $FLOW_TEST_BOTH").run()), equals: "ours\n")
  }

  @Test("it runs in the given folder")
  func workingDirectory() {
    let folder = Folder()
    _ = folder.write("here.sh", "#!/bin/sh\npwd\n")
    var command = shell("pwd")
    command.workingDirectory = folder.path
    expect(text(command.run()), equals: folder.path + "\n")
    command.arguments = ["./here.sh"]
    expect(text(command.run()), equals: folder.path + "\n")
  }

  @Test("it gets no file of ours but three, no signal blocked or ignored, and a group of its own")
  func cleanStart() {
    let held = open("/dev/null", O_RDONLY)  // without O_CLOEXEC
    let higher = fcntl(held, F_DUPFD, 100)
    defer {
      close(held)
      close(higher)
    }
    var command = ChildCommand(arguments: ["ls", "/proc/self/fd"], output: .captured(limit: 10_000))
    // The fourth is of `ls` itself, reading the folder.
    expect(text(command.run()), equals: "0\n1\n2\n3\n")
    command.arguments = ["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"]
    let signals = withoutPipeSignal { text(command.run()) }
    // 32 and 33 belong to the C library, which ignores them here itself.
    let masks = signals.split(separator: "\n").compactMap { UInt64($0.suffix(16), radix: 16) }
    expect(masks.map { $0 & ~0x1_8000_0000 }, equals: [0, 0])
    expect(text(shell("ps -o pgid= -p $$ | grep -qw $$ && echo own").run()), equals: "own\n")
  }

  @Test("it can be stopped from another thread, at once")
  func stopped() {
    let stop = StopSign()
    inBackground {
      usleep(100_000)
      stop.set()
    }
    let took = elapsed {
      expect(shell("trap '' TERM; sleep 100 & wait; sleep 100").run(stop: stop).end, equals: .stopped)
      expect(shell("exit 0").run(stop: stop).end, equals: .stopped)
    }
    #expect(took < .seconds(10))
  }

  @Test("stopped while it still is being asked to end, it has timed out")
  func stoppedLate() {
    let stop = StopSign()
    inBackground {
      usleep(400_000)
      stop.set()
    }
    var command = shell("trap '' TERM; while :; do sleep 0.05; done", timeout: .milliseconds(100))
    command.killAfter = .seconds(100)
    let took = elapsed { expect(command.run(stop: stop).end, equals: .timedOut) }
    #expect(took < .seconds(10))
  }

  @Test("after many runs no file is open and no dead child left that was not before")
  func noLeaks() {
    let files = names(in: "/proc/self/fd").count
    let us = "\(getpid())"
    for number in 0..<200 {
      let command = ChildCommand(arguments: [number % 10 == 0 ? "no-such-command" : "true"])
      _ = command.run(input: number % 2 == 0 ? [1, 2, 3] : [])
    }
    // Other tests open files and start children meanwhile, but not hundreds.
    #expect(names(in: "/proc/self/fd").count < files + 50)
    let zombies = names(in: "/proc").filter { process in
      let fields =
        contents(of: "/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 1 && fields[0] == "Z" && fields[1] == us
    }
    #expect(zombies.count < 20)
  }

  @Test("no time, or all the time there is, are times too")
  func extremes() {
    expect(shell("sleep 100", timeout: .zero).run().end, equals: .timedOut)
    expect(shell("exit 2", timeout: .seconds(Int64.max)).run().end, equals: .exited(2))
  }
}
