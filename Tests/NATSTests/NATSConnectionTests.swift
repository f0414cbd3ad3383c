import Expectations
import CLoading
import Foundation
import NATS
import TestSupport
import Testing

@Suite("Connections to a NATS server", .timeLimit(.minutes(30)))
struct NATSConnectionTests {
  private static let fixtures =
    "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Fixtures"

  private func failure(_ settings: NATSSettings) -> NATSError? {
    do throws(NATSError) { _ = try NATSConnection(settings) } catch { return error }
    return nil
  }

  private func settings(_ server: NATSServer, host: String = "127.0.0.1") -> NATSSettings {
    NATSSettings(servers: ["nats://\(host):\(server.port)"], name: "test")
  }

  @Test("a library that is missing is one line with the package that has it")
  func missingLibrary() {
    let (name, file, package) = (strdup("libnone"), strdup("libnone.so.1"), strdup("libnone1"))
    defer { for text in [name, file, package] { free(text) } }
    let files: [UnsafePointer<CChar>?] = [UnsafePointer(file), nil]
    files.withUnsafeBufferPointer { files in
      var library = flow_library()
      library.name = UnsafePointer(name)
      library.files = files.baseAddress
      library.package = UnsafePointer(package)
      expect(
        flow_load(&library).map { String(cString: $0) },
        equals: """
          libnone cannot be loaded: libnone.so.1: cannot open shared object file: No such file or directory; \
          it is in the package libnone1
          """)
    }
  }

  @Test("a wrong password is rejected in one line without it; the right one logs in", .realServer)
  func passwords() throws {
    let server = try NATSServer("authorization { user: flow, password: open-sesame }")
    var login = settings(server)
    login.user = "flow"
    login.password = "wrong-one"
    let error = try #require(failure(login))
    #expect(error.kind == .login && !error.mayPass)
    expect(error.description, equals: "\(server.url): the login was rejected (Authorization Violation)")
    login.password = "open-sesame"
    expectNil(failure(login))
    // In the address too, which messages show without it.
    login = NATSSettings(servers: ["nats://flow:wrong-one@127.0.0.1:\(server.port)"], name: "test")
    expect(failure(login)?.description, equals: error.description)
  }

  @Test("tokens and NKeys log in", .realServer)
  func otherLogins() throws {
    var server = try NATSServer("authorization { token: s3cr3t-token }")
    var login = settings(server)
    expect(failure(login)?.kind, equals: .login)
    login.token = "s3cr3t-token"
    expectNil(failure(login))

    let key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
    server = try NATSServer("authorization { users: [ { nkey: \(key) } ] }")
    login = settings(server)
    expect(failure(login)?.kind, equals: .login)
    login.key = key
    login.seed = "\(Self.fixtures)/flow.nk"
    expectNil(failure(login))
    login.seed = "/nowhere.nk"
    let error = try #require(failure(login))
    #expect(
      error.kind == .failed && error.description.hasPrefix("cannot connect to \(server.url): "), "\(error)")
  }

  @Test(
    "TLS: an authority that is trusted, one that is not, another host's certificate, none at all", .realServer
  )
  func tls() throws {
    func server(_ name: String, _ options: String = "") throws -> NATSServer {
      let files = Self.fixtures
      return try NATSServer(
        "tls { cert_file: \"\(files)/\(name).pem\", key_file: \"\(files)/\(name)-key.pem\" \(options) }")
    }
    let good = try server("server")
    var login = settings(good, host: "localhost")
    login.tls = .init(authorities: "\(Self.fixtures)/ca.pem")
    expectNil(failure(login))
    login.tls = .init(authorities: "\(Self.fixtures)/other-ca.pem")
    expect(failure(login)?.kind, equals: .tls)
    login.tls = .init()
    expect(failure(login)?.kind, equals: .tls)
    login.tls = .init(skipsVerification: true)
    expectNil(failure(login))
    // What the server requires is done without being asked for, and verified.
    login.tls = nil
    expect(failure(login)?.kind, equals: .tls)
    login = NATSSettings(servers: ["tls://localhost:\(good.port)"], name: "test")
    expect(failure(login)?.kind, equals: .tls)

    let other = try server("elsewhere")
    login = settings(other, host: "localhost")
    login.tls = .init(authorities: "\(Self.fixtures)/ca.pem")
    expect(failure(login)?.kind, equals: .tls, "a certificate of another host was accepted")

    let demanding = try server("server", ", ca_file: \"\(Self.fixtures)/ca.pem\", verify: true")
    login = settings(demanding, host: "localhost")
    login.tls = .init(authorities: "\(Self.fixtures)/ca.pem")
    #expect(failure(login) != nil)
    login.tls = .init(
      authorities: "\(Self.fixtures)/ca.pem", certificate: "\(Self.fixtures)/server.pem",
      key: "\(Self.fixtures)/server-key.pem")
    expectNil(failure(login))
    let plain = try NATSServer()
    login = settings(plain, host: "localhost")
    login.tls = .init(skipsVerification: true)
    expect(failure(login)?.kind, equals: .tls)
  }

  @Test("of several servers one that answers is used; where none does, that may pass", .realServer)
  func severalServers() throws {
    let (gone, server) = (try NATSServer(), try NATSServer())
    gone.kill()
    let both = NATSSettings(servers: [gone.url, server.url], name: "test")
    for _ in 0..<4 { expectNil(failure(both)) }
    server.kill()
    let error = try #require(failure(both))
    #expect(error.mayPass && error.description.hasPrefix("cannot connect to \(gone.url), \(server.url): "))
  }
}
