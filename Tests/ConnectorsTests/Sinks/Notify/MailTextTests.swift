import Expectations
@testable import Connectors
@testable import Delivery
import Engine
import Fetch
import Glibc
import JSON
import Language
import Reactive
import Store
import TestSupport
import Testing
import Trials

import System

/// Mail, as a server of another make receives it and Python's own parser reads it.
@Suite("Mail", .serialized, .timeLimit(.minutes(30))) struct MailTextTests {
  /// An SMTP server: prints its port, writes what it accepts into a file, ends with its input.
  private static let server = """
    import asyncio, email, email.policy, json, ssl, sys
    from aiosmtpd.smtp import SMTP, AuthResult
    path, mode, folder = sys.argv[1:4]
    class Handler:
      async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith('unknown'): return '550 no such user'
        if address.startswith('later'): return '451 try again'
        envelope.rcpt_tos.append(address)
        return '250 OK'
      async def handle_DATA(self, server, session, envelope):
        m = email.message_from_bytes(envelope.content, policy=email.policy.default)
        part = lambda kind: m.get_body((kind,)).get_content()
        open(path, 'a').write(json.dumps({
          'from': envelope.mail_from, 'to': envelope.rcpt_tos, 'subject': m['subject'], 'header': str(m['to']),
          'id': m['message-id'], 'date': str(m['date'].datetime), 'importance': m['importance'],
          'plain': part('plain'), 'html': part('html'), 'tls': session.ssl is not None,
          'user': session.auth_data, 'defects': [str(d) for d in m.defects],
          'longest': max(len(l) for l in envelope.content.split(b'\\r\\n'))}) + '\\n')
        return '250 OK'
    def check(server, session, envelope, mechanism, data):
      name = (data.login.decode(), data.password.decode())
      return AuthResult(success=name == ('me@example.org', 'p:ss'), auth_data=name[0])
    context = None
    if mode != 'plain':
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(folder + '/cert.pem', folder + '/key.pem')
    def make():
      secure = mode != 'plain'
      return SMTP(Handler(), hostname='test', authenticator=check, auth_required=secure,
        auth_require_tls=mode == 'starttls', tls_context=context if mode == 'starttls' else None)
    async def main():
      loop = asyncio.get_running_loop()
      server = await loop.create_server(make, '127.0.0.1', 0, ssl=context if mode == 'tls' else None)
      print(server.sockets[0].getsockname()[1], flush=True)
      await loop.run_in_executor(None, sys.stdin.read)
    asyncio.run(main())
    """

  private let folder = Folder()

  private func send(
    _ mode: String, to recipients: String = "you@example.org,a%2Bb@example.org", user: String = "",
    server: String,
    options: String = "", state: TemporaryState? = nil, lines: [String] = [#"{"t":"Hëron ✓"}"#]
  ) throws -> (mails: [Value], seen: SinkBench.Seen) {
    if mode != "plain" { try makeCertificate() }
    let mails = "\(folder.path)/mails.jsonl"
    let process = try PythonServer(Self.server, [mails, mode, folder.path])
    defer { process.stop() }
    var bench = SinkBench()
    let certificate = mode == "plain" ? nil : "\(folder.path)/cert.pem"
    bench.access = WebAccess {
      var options = CurlTransport.Options()
      options.proxyEnvironment.certificateFile = certificate
      return Client(
        try CurlTransport(options), file: try WebFile(), on: SerialScheduler(name: "fetch"),
        wallClock: World.real.wallClock)
    }
    bench.state = state
    let route = "\(server)\(user)127.0.0.1:\(process.firstLine)&from=flow@example.org"
    let sink =
      #"s: { notify: { to: 'mailto:\#(recipients)?server=\#(route)', title: '\(.t)', attempts: 1 \#(options) } }"#
    let seen = try bench.run(sink, lines: lines, isReal: true)
    let text = contents(of: mails)
    return (try text.split(separator: "\n").map { try Value.parse(String($0)) }, seen)
  }

  private func makeCertificate() throws {
    var command = ChildCommand(
      arguments: [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2", "-subj", "/CN=127.0.0.1",
        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(folder.path)/key.pem", "-out",
        "\(folder.path)/cert.pem",
      ], output: .discarded, timeout: .seconds(60))
    command.environment = [:]
    let result = command.run(input: [], stop: StopSign()) { _ in }
    try #require("\(result.end)" == "\(ChildEnd.exited(0))")
  }

  @Test(
    "a server receives a plain and an HTML part, and a subject of any characters",
    .enabled(if: Python.has("aiosmtpd"), "python3 -m pip install aiosmtpd, for this test"))
  func parts() throws {
    let options = ", body: '<b>x</b>\\(\"\\n\").dot', link: 'https://a.org/?x&y', priority: urgent, tags: [t]"
    let subject = String(repeating: "Hëron ✓ ", count: 20)
    let (mails, seen) = try send(
      "plain", server: "smtp://", options: options, lines: [#"{"t":"\#(subject)"}"#])
    let mail = try #require(mails.first, "\(seen.log)")
    func text(_ name: String) -> String? { mail.member(name)?.string }
    #expect(mails.count == 1 && seen.log.isEmpty && mail.member("defects")?.items?.isEmpty == true)
    expect(text("from"), equals: "flow@example.org")
    expect(mail.member("to")?.description, equals: #"["you@example.org","a+b@example.org"]"#)
    expect(text("header"), equals: "you@example.org, a+b@example.org")
    #expect(text("subject") == subject && text("importance") == "high")
    expect(text("plain")?.replacing("\r\n", with: "\n"), equals: "<b>x</b>\n.dot\n\nhttps://a.org/?x&y\n\nt")
    expect(text("html")?.contains("<p>&lt;b&gt;x&lt;/b&gt;<br>"), equals: true)
    expect(text("html")?.contains(#"<a href="https://a.org/?x&amp;y">"#), equals: true)
    expect(text("id")?.hasSuffix("@flow.invalid>"), equals: true)
    #expect((mail.member("longest")?.double ?? 999) <= 76)
  }

  @Test(
    "user name and password are sent over TLS, from the start or after STARTTLS",
    .enabled(if: Python.has("aiosmtpd"), "python3 -m pip install aiosmtpd, for this test"),
    arguments: ["tls", "starttls"])
  func encrypted(_ mode: String) throws {
    let (mails, seen) = try send(
      mode, user: "me%40example.org:p%3Ass@", server: mode == "tls" ? "smtps://" : "smtp://")
    let mail = try #require(mails.first, "\(seen.log)")
    expect(mail.member("user")?.string, equals: "me@example.org")
    #expect(mode == "tls" || mail.member("tls")?.isTruthy == true)
  }

  @Test(
    "what a server refuses is an error that names its reply; only a temporary one is retried",
    .enabled(if: Python.has("aiosmtpd"), "python3 -m pip install aiosmtpd, for this test"),
    arguments: [("unknown@example.org", "550"), ("later@example.org", "451")])
  func refused(_ recipient: String, _ reply: String) throws {
    let (mails, seen) = try send("plain", to: recipient, server: "smtp://")
    #expect(mails.isEmpty && seen.statistics.last?.errors == 1)
    #expect(
      seen.log.first?.hasPrefix("s: mail to \(recipient) by smtp://127.0.0.1:") == true
        && seen.log.first?.contains(reply) == true, "\(seen.log)")
  }

  @Test(
    "a wrong password is an error, and is not shown",
    .enabled(if: Python.has("aiosmtpd"), "python3 -m pip install aiosmtpd, for this test"))
  func wrongPassword() throws {
    let (mails, seen) = try send("tls", user: "me%40example.org:wrong-one@", server: "smtps://")
    #expect(mails.isEmpty && seen.log.count == 1)
    #expect(seen.log.allSatisfy { !$0.contains("wrong-one") }, "\(seen.log)")
  }

  @Test("the lines in which texts differ have colours")
  func differences() {
    let message = Message(title: "terms", body: "see\nbelow\n@@ -1,2 +1,2 @@\n a\n-<b>\n+c\nend")
    #expect(
      MailText.html(message).contains(
        """
        <p>see<br>
        below</p>
        <pre style="margin:0">@@ -1,2 +1,2 @@</pre>
        <pre style="margin:0"> a</pre>
        <pre style="margin:0;color:#b31d28">-&lt;b&gt;</pre>
        <pre style="margin:0;color:#22863a">+c</pre>
        <p>end</p>
        """))
  }

  @Test("long and unusual subjects are encoded words in lines of at most 76 bytes, short ones stay")
  func subjects() {
    expect(MailText.header("Heron 9 slipped"), equals: "Heron 9 slipped")
    expect(MailText.header("=?x"), equals: "=?utf-8?B?PT94?=")
    let words = MailText.header(String(repeating: "火", count: 100)).split(separator: "\r\n")
    #expect(words.count > 5 && words.allSatisfy { $0.utf8.count <= 76 && $0.hasSuffix("?=") })
  }
}
