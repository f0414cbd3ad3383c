import Expectations
import Glibc
import TestSupport
import Testing

@testable import System

@Suite struct LocalSocketTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func status(_ name: String) -> stat {
    var status = stat()
    lstat(folder[name], &status)
    return status
  }

  @Test("a socket belongs to its user alone from the moment it exists, also where its path is long")
  func mode() throws {
    let long = String(repeating: "x", count: 150)
    mkdir(folder[long], 0o700)
    for name in ["s.sock", long + "/s.sock"] {
      let listener = try LocalSocket.listen(at: folder[name])
      expect(status(name).st_mode, equals: S_IFSOCK | 0o600)
      let client = try LocalSocket.connect(to: folder[name])
      let server = LocalSocket.accept(on: listener.number)
      #expect(LocalSocket.write(Array("one\ntwo".utf8), to: client.number))
      expect(LocalSocket.readLine(from: server.number), equals: Array("one".utf8))
    }
  }

  @Test("what is there already, a link too, is neither used nor changed")
  func occupied() throws {
    let target = folder["target"]
    let descriptor = open(target, O_CREAT | O_WRONLY, 0o644)
    close(descriptor)
    chmod(target, 0o644)
    symlink(target, folder["link.sock"])
    symlink(folder["nothing"], folder["dangling.sock"])
    for name in ["target", "link.sock", "dangling.sock"] {
      #expect(throws: SystemError.self) { _ = try LocalSocket.listen(at: folder[name]) }
    }
    #expect(status("target").st_mode == S_IFREG | 0o644 && access(folder["nothing"], F_OK) != 0)
  }

  @Test("the socket of a process that has gone refuses")
  func stale() throws {
    do { _ = try LocalSocket.listen(at: folder["s.sock"]) }
    do throws(SystemError) {
      _ = try LocalSocket.connect(to: folder["s.sock"])
      Issue.record("nothing listens there")
    } catch { expect(error.code, equals: ECONNREFUSED) }
  }
}
