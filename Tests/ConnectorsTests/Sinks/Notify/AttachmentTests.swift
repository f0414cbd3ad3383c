import Expectations
import Fetch
import JSON
import System
import TestSupport
import Testing

@testable import Connectors

/// The picture of a page along with a message, as services take files.
@Suite struct AttachmentTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]

  /// The request for a message with a picture; one that is named by its content, or any other file.
  private func request(
    _ to: String, isKept: Bool = true, body: String = "line 1\nline 2"
  ) throws -> (head: Request, body: String) {
    let folder = try TemporaryFolder()
    let path = folder[isKept ? KeptPicture.name(of: Self.png) : "p.png"]
    try WholeFile(path: path, mode: 0o600, syncs: false, disk: SystemDisk()).write(Self.png)
    var message = Message(title: "Lámpa & 9", body: body)
    message.picture = path
    message.tags = ["rocket", "a b"]
    message.link = "https://a.org/"
    let made = try MessageSender(try Destination(to), timeout: .seconds(1)).request(message, id: "p/s/1")
    return (made, String(decoding: made.body, as: UTF8.self))
  }

  private func header(_ request: Request, _ name: String) -> String? {
    request.headers.first { $0.name == name }?.value
  }

  @Test("ntfy gets the file as the body, and the message in headers of ASCII")
  func ntfy() throws {
    let (request, _) = try request("ntfy://tk@ntfy.example.org/lamps")
    expect(request.method, equals: .put)
    expect(request.address.text, equals: "https://ntfy.example.org/lamps")
    expect(request.body, equals: Self.png)
    expect(header(request, "X-title"), equals: "=?utf-8?B?TMOhbXBhICYgOQ==?=")
    expect(header(request, "X-message"), equals: "line 1\\nline 2")
    expect(header(request, "X-tags"), equals: "rocket,a b")
    expect(header(request, "X-click"), equals: "https://a.org/")
    expect(header(request, "X-filename"), equals: "picture.png")
    expect(header(request, "Authorization"), equals: "Bearer tk")
    expectNil(header(request, "Content-Type"))
  }

  @Test("Telegram, Discord and Pushover get a form with the file and the rest of the message")
  func forms() throws {
    let telegram = try request("telegram://123:AA/-100", body: String(repeating: "long ", count: 500))
    expect(telegram.head.address.text, equals: "https://api.telegram.org/bot123:AA/sendPhoto")
    #expect(telegram.body.contains("name=\"chat_id\"\r\n\r\n-100\r\n"))
    #expect(telegram.body.contains("name=\"caption\"\r\n\r\n<b>Lámpa &amp; 9</b>\n"))
    #expect(
      telegram.body.contains("name=\"photo\"; filename=\"picture.png\"\r\nContent-Type: image/png\r\n\r\n"))
    #expect(!telegram.body.contains("attachment://"))
    let discord = try request("discord://discord.com/api/webhooks/1/S")
    #expect(discord.body.contains("name=\"payload_json\"\r\n\r\n{\"embeds\":"))
    #expect(discord.body.contains(#""image":{"url":"attachment://picture.png"}"#))
    #expect(discord.body.contains("name=\"files[0]\"; filename=\"picture.png\""))
    let pushover = try request("pushover://APP/USER")
    #expect(pushover.body.contains("name=\"user\"\r\n\r\nUSER\r\n"))
    #expect(pushover.body.contains("name=\"attachment\"; filename"))
    for made in [telegram, discord, pushover] {
      let type = try #require(header(made.head, "Content-Type"))
      let boundary = try #require(type.split(separator: "=").last)
      #expect(
        type.hasPrefix("multipart/form-data; boundary=") && made.body.hasSuffix("\r\n--\(boundary)--\r\n"))
    }
  }

  @Test("others, and what is no picture any more, are sent without it")
  func without() throws {
    for to in ["slack://hooks.slack.com/services/a/b/c", "gotify://h/t", "teams://h/w", "matrix://t@h/!r:s"] {
      let made = try request(to)
      #expect(!made.body.contains(".png") && !made.body.contains("attachment:"), "\(made.body)")
      expect(header(made.head, "Content-Type"), equals: "application/json")
    }
    let text = try request("telegram://123:AA/-100", isKept: false)
    #expect(text.head.address.text.hasSuffix("/sendMessage") && !text.body.contains("PNG"))
  }

  @Test("a mail shows the picture among its text")
  func mail() throws {
    var message = Message(title: "T", body: "B")
    message.picture = "/gone.png"
    func text(_ picture: [UInt8]?) -> String {
      String(
        decoding: MailText(
          message, from: "a@b.c", to: ["d@e.f"], id: "p/s/1", date: "now", picture: picture
        ).bytes, as: UTF8.self)
    }
    let with = text(Self.png)
    #expect(
      with.contains(
        "Content-Type: multipart/related; boundary=\"=_flow__=p.s.1\"\r\n\r\n--=_flow__=p.s.1\r\n"))
    #expect(with.contains("Content-ID: <picture@flow.invalid>\r\n"))
    #expect(with.contains("\r\n\r\niVBORw0KGgoBAgM=\r\n--=_flow__=p.s.1--\r\n"))
    message.picture = "cid:x"
    #expect(MailText.html(message).contains("<img src=\"cid:x\""))
    message.picture = "/gone.png"
    let without = text(nil)
    #expect(!without.contains("multipart/related") && !without.contains("gone"))
  }
}
