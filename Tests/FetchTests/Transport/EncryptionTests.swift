import Expectations
import Foundation
import Loopback
import Reactive
import Store
import TestSupport
import Testing

@testable import Fetch

/// libcurl against `openssl s_server` with a certificate that it signed itself.
@Suite(
  .timeLimit(.minutes(30)),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "there is no /usr/bin/openssl"))
struct EncryptionTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  func openssl(_ arguments: [String]) throws -> TestProcess {
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardOutput = Pipe()
    process.standardError = FileHandle.nullDevice
    process.standardInput = Pipe()
    try process.run()
    return process
  }

  /// A certificate for `names`, in `cert.pem`.
  func makeCertificate(_ names: String) throws {
    let made = try openssl([
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2",
      "-subj", "/CN=flow", "-addext", "subjectAltName=\(names)",
    ])
    made.waitUntilExit()
    try #require(made.terminationStatus == 0)
  }

  /// Serves a page over TLS while `body` runs.
  func serving(_ body: (Int) throws -> Void) throws {
    let server = try openssl([
      "s_server", "-accept", "127.0.0.1:0", "-cert", "cert.pem", "-key", "key.pem", "-www",
    ])
    defer {
      // Its signal mask is this thread's, which may keep out gentler ones.
      kill(server.processIdentifier, SIGKILL)
      server.waitUntilExit()
    }
    // It says “ACCEPT 127.0.0.1:PORT” once it listens.
    let output = try #require(server.standardOutput as? Pipe).fileHandleForReading
    var said = ""
    while !said.contains("\n") || !said.contains("ACCEPT") {
      let bytes = output.availableData
      try #require(!bytes.isEmpty)
      said += String(decoding: bytes, as: UTF8.self)
    }
    let port = try #require(
      said.split(whereSeparator: \.isWhitespace).last?.split(separator: ":").last.flatMap { Int($0) })
    try body(port)
  }

  func client(trusting file: String? = nil) throws -> Client {
    var proxyEnvironment = ProxyEnvironment()
    proxyEnvironment.certificateFile = file
    return Client(
      try CurlTransport(.init(proxyEnvironment: proxyEnvironment)), file: try WebFile(),
      on: SerialScheduler(name: "fetch"),
      wallClock: { Date().timeIntervalSince1970 })
  }

  func page(_ host: String, _ port: Int) throws -> Request {
    try request("https://\(host):\(port)/") { $0.expectation = .anything }
  }

  @Test("an untrusted certificate is refused, at once and without retries")
  func selfSigned() throws {
    try makeCertificate("IP:127.0.0.1,DNS:localhost")
    try serving { port in
      let failed = failure { _ = try client().fetch(try page("127.0.0.1", port)) }
      expect(failed?.kind, equals: .encryption)
      expect(failed?.tries, equals: 1)
      expect(failed?.message.hasPrefix("no secure connection: "), equals: true)
      expect(failed?.message.contains("self-signed certificate"), equals: true)
      let answer = try client(trusting: folder.path + "/cert.pem").fetch(try page("127.0.0.1", port))
      expect(answer.status, equals: 200)
    }
  }

  @Test("a certificate for another host is refused, even one that is trusted")
  func otherHost() throws {
    try makeCertificate("DNS:other.example.org")
    try serving { port in
      let failed = failure {
        _ = try client(trusting: folder.path + "/cert.pem").fetch(try page("127.0.0.1", port))
      }
      expect(failed?.kind, equals: .encryption)
    }
  }

  @Test("what speaks no TLS is no secure connection")
  func plain() throws {
    let server = try LoopbackServer { _ in [.reply("1")] }
    server.serving {
      let failed = failure { _ = try client().fetch(try page("127.0.0.1", server.port)) }
      expect(failed?.kind, equals: .encryption)
    }
  }
}
