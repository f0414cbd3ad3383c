import Expectations
import Glibc
import System
import Testing

@testable import Engine

/// Where the files of a run lie.
@Suite struct OutputPolicyTests {
  @Test(
    "below the folder, a path is what follows out/, and never leads out",
    arguments: [
      ("out/a.jsonl", "D/a.jsonl"), ("./out//b/a.jsonl", "D/b/a.jsonl"), ("out/../out/a", "D/a"),
      ("a.jsonl", "D/a.jsonl"), ("logs/a.jsonl", "D/logs/a.jsonl"), ("/var/log/a", "D/var/log/a"),
      ("/out/a", "D/out/a"), ("out", "D/out"), ("outer/a", "D/outer/a"), ("out/sky/a", "D/sky/a"),
      ("../a", "D/a"), ("../../out/a", "D/out/a"), ("out/../../../a", "D/a"),
      ("out/b/../../../etc/a", "D/etc/a"),
      ("/../../a", "D/a"), ("out/./b/./a", "D/b/a"), ("out/.hidden", "D/.hidden"), ("out/...", "D/..."),
      ("/dev/null", "/dev/null"), ("/dev/stdout", "/dev/stdout"), ("/dev/fd/3", "/dev/fd/3"),
      ("/dev/shm/a", "D/dev/shm/a"), ("/dev/../etc/a", "D/etc/a"),
    ])
  func rule(_ given: String, _ path: String) {
    expect(OutputPolicy(below: "D").path(of: given), equals: path)
    expect(OutputPolicy(below: "D/").path(of: given), equals: path)
    expect(OutputPolicy.real.path(of: given), equals: given)
  }

  @Test("a pipeline over recordings of its own keeps the paths outside out/")
  func otherPaths() {
    let outputs = OutputPolicy(below: "out/replay", keepsOtherPaths: true)
    for path in ["a.jsonl", "/var/log/a", "../out/a", "outer/a"] {
      expect(outputs.path(of: path), equals: path)
    }
    expect(outputs.path(of: "./out/a"), equals: "out/replay/a")
  }

  /// A folder that is removed again, and the files that are in it.
  private final class Folder {
    let path: String

    init() throws {
      var name = Array("/tmp/flow-outputs-XXXXXX".utf8CString)
      path = try #require(mkdtemp(&name).map { String(cString: $0) })
    }

    deinit { for name in [".simulated", "a", "a.1", "a.2.gz", "b", ""] { remove("\(path)/\(name)") } }

    var names: [String] {
      (try? namesOfFiles(in: path))?.filter { $0 != "." && $0 != ".." }.sorted() ?? []
    }

    func write(_ names: String...) throws {
      for name in names { try AppendFile("\(path)/\(name)").append([0x0a]) }
    }
  }

  @Test("a simulated run replaces files of earlier ones at their first use, with what they rotated to")
  func replacing() throws {
    let folder = try Folder()
    let first = OutputPolicy(below: folder.path, of: .simulation)
    for path in ["out/a", "out/b"] { _ = try first.place(path, of: "p", on: SystemDisk()) }
    try folder.write("a", "a.1", "a.2.gz", "b")
    let outputs = OutputPolicy(below: folder.path, of: .simulation)
    try expect(outputs.place("out/a", of: "p", on: SystemDisk()), equals: "\(folder.path)/a")
    expect(folder.names, equals: [".simulated", "b"])
    try folder.write("a")
    for path in ["out/a", "./out/a"] { _ = try outputs.place(path, of: "p", on: SystemDisk()) }
    outputs.continueFiles(of: "q")
    _ = try outputs.place("out/b", of: "q", on: SystemDisk())
    expect(
      folder.names, equals: [".simulated", "a", "b"], "its own file, and one that its state continues, stay")
    _ = try OutputPolicy(below: folder.path, of: .simulation, touchesDisk: false)
      .place("out/a", of: "p", on: SystemDisk())
    expect(folder.names, equals: [".simulated", "a", "b"], "a dry run removes nothing")
  }

  @Test("simulated and real runs do not share a file, nor two paths a place")
  func refusals() throws {
    let folder = try Folder()
    try folder.write("a")
    func real() -> OutputPolicy { OutputPolicy(below: folder.path) }
    func simulated() -> OutputPolicy { OutputPolicy(below: folder.path, of: .simulation) }
    #expect(throws: Sentence.self) { try simulated().place("out/a", of: "p", on: SystemDisk()) }
    expect(folder.names, equals: ["a"])
    try expect(real().place("out/a", of: "p", on: SystemDisk()), equals: "\(folder.path)/a")
    try expect(simulated().place("out/b", of: "p", on: SystemDisk()), equals: "\(folder.path)/b")
    try folder.write("b")
    #expect(throws: Sentence.self) { try real().place("out/b", of: "p", on: SystemDisk()) }
    expect(folder.names, equals: [".simulated", "a", "b"])
    let outputs = simulated()
    _ = try outputs.place("out/b", of: "p", on: SystemDisk())
    #expect(throws: Sentence.self) { try outputs.place("b", of: "p", on: SystemDisk()) }
  }
}
