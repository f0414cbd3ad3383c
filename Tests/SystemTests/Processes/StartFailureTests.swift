import Expectations
import Glibc
import Testing

import TestSupport
@testable import System

@Suite struct StartFailureTests {
  private func reason(_ command: ChildCommand, _ environment: [String: String] = [:]) -> String {
    if case .couldNotStart(let reason, mayPass: false) = command.run(environment: environment).end {
      return reason
    }
    return "it started"
  }

  @Test("a missing command is reported with the folders that were searched")
  func notFound() {
    let command = ChildCommand(arguments: ["no-such-command"])
    expect(
      reason(command, ["PATH": "/usr/bin:.::/bin"]),
      equals: "cannot start no-such-command: no such command in /usr/bin, /bin, the folders of PATH")
    expect(
      reason(ChildCommand(arguments: ["/no/such/thing"])),
      equals: "cannot start /no/such/thing: there is no /no/such/thing")
  }

  @Test("a relative path is looked for in the working directory")
  func relative() {
    let folder = Folder()
    var command = ChildCommand(arguments: ["./tell.sh"], workingDirectory: folder.path)
    expect(reason(command), equals: "cannot start ./tell.sh: there is no \(folder.path)/tell.sh")
    command.workingDirectory = nil
    let here = getcwd(nil, 0)
    defer { free(here) }
    expect(
      reason(command),
      equals: "cannot start ./tell.sh: there is no \(here.map { String(cString: $0) } ?? "")/tell.sh")
  }

  @Test("a file that cannot be run is distinguished from a missing one")
  func notRunnable() {
    let folder = Folder()
    let plain = folder.write("plain", "#!/bin/sh\n", mode: 0o644)
    let lost = folder.write("lost", "#!/no/such/shell\n")
    let data = folder.write("data", "no program\n")
    expect(
      reason(ChildCommand(arguments: [plain])), equals: "cannot start \(plain): \(plain) is not executable")
    expect(
      reason(ChildCommand(arguments: ["plain"]), ["PATH": folder.path]),
      equals: "cannot start plain: \(plain) is not executable")
    expect(
      reason(ChildCommand(arguments: [folder.path])),
      equals: "cannot start \(folder.path): \(folder.path) is a folder")
    expect(
      reason(ChildCommand(arguments: [lost])),
      equals: "cannot start \(lost): what is to run \(lost) does not exist; see its first line")
    expect(
      reason(ChildCommand(arguments: [data])),
      equals:
        "cannot start \(data): \(data) is neither a program for this machine nor a script with a #! line")
  }

  @Test("a working directory that is none is named")
  func workingDirectory() {
    expect(
      reason(ChildCommand(arguments: ["true"], workingDirectory: "/no/such")),
      equals: "cannot start true: its working directory /no/such does not exist")
    expect(
      reason(ChildCommand(arguments: ["true"], workingDirectory: "/etc/passwd")),
      equals: "cannot start true: its working directory /etc/passwd is not a folder")
  }

  @Test("texts that would not arrive as they are, are refused")
  func texts() {
    expect(reason(ChildCommand(arguments: [])), equals: "cannot start a command: it has no name")
    expect(
      reason(ChildCommand(arguments: ["true", "a\0b"])),
      equals: "cannot start a command: an argument contains a zero byte")
    expect(
      reason(ChildCommand(arguments: ["true"]), ["A=B": "c"]),
      equals: "cannot start true: \"A=B\" cannot be the name of a variable")
    expect(
      reason(ChildCommand(arguments: ["true"]), ["A": "b\0"]),
      equals: "cannot start true: the variable A contains a zero byte")
    expect(
      reason(ChildCommand(arguments: ["true"]), ["A": String(repeating: "x", count: 3_000_000)]),
      equals: "cannot start true: its arguments and environment are longer than the system allows")
  }

  @Test("want of room passes, want of a file does not")
  func passing() {
    #expect(SystemError("pipe", code: EMFILE).mayPass)
    #expect(!SystemError("posix_spawn", code: ENOENT).mayPass)
    #expect(StartFailure(SystemError("pipe", code: EMFILE)).reason.contains("pipe: Too many open files"))
  }
}
