import Expectations
@testable import Connectors
import Fetch
import JSON
import TestSupport
import Testing

/// Texts at the limits that services document: cut by whole characters, links kept.
@Suite("Texts of notifications") struct NotifyTextTests {
  private func body(_ to: String, _ message: Message) throws -> Value {
    let destination = try Destination(to)
    return destination.service.request(message, destination, "id").body
  }

  private func section(_ message: Message) throws -> String {
    let blocks = try #require(
      try body("slack://hooks.slack.com/services/a", message).member("blocks")?.items)
    return try #require(
      blocks.first { $0.member("type")?.string == "section" }?.member("text")?.member("text")?.string)
  }

  @Test("a text is cut behind a whole character, in the unit that counts")
  func fits() {
    #expect(fitted("abc", 3) == "abc" && fitted("abcd", 3) == "ab…")
    expect(fitted("a🚀b", 3), equals: "a…", "no half of a surrogate pair")
    expect(fitted("発射発射", 10, .bytes), equals: "発射…")
    #expect(
      fitted("&&", 9, escaping: slackMarkup) == "&amp;…" && fitted("&&", 5, escaping: slackMarkup) == "…")
    #expect(fitted("abc", 0) == "" && fitted("é…", 2, .bytes) == "")
  }

  @Test("Slack gets quotes as they are")
  func slackQuotes() throws {
    try expect(
      section(Message(title: "t", body: #"say "go" & <run>"#)), equals: #"say "go" &amp; &lt;run&gt;"#)
  }

  @Test("Slack gets whole entities and the link, however long the text is")
  func slackLength() throws {
    var message = Message(title: "t", body: String(repeating: "&", count: 2000))
    message.link = "https://a.org/?x=1&y=a|b"
    let words = try section(message)
    let link = "\n<https://a.org/?x=1&amp;y=a%7Cb>"
    #expect(words.utf16.count <= 3000 && words.hasSuffix("&amp;…\(link)"))
    #expect(words.utf16.count > 2990, "no room is wasted")
    #expect(words.dropLast(link.count + 1).replacing("&amp;", with: "").isEmpty)
  }

  @Test("ntfy gets 4,096 bytes of a text, without half a character")
  func ntfyBytes() throws {
    let message = Message(title: "t", body: String(repeating: "発", count: 2000))
    let words = try #require(try body("ntfy://h/t", message).member("message")?.string)
    #expect(words == String(repeating: "発", count: 1364) + "…" && words.utf8.count <= 4096)
  }

  @Test("Telegram gets 4,096 characters, of which link and tags are a part")
  func telegramLength() throws {
    var message = Message(title: "t")
    message.body = String(repeating: "<", count: 5000)
    message.link = "https://a.org/" + String(repeating: "x", count: 900)
    message.tags = Array(repeating: "launch", count: 200)
    message.picture = "https://a.org/p"
    let words = try #require(try body("telegram://1:A/2", message).member("text")?.string)
    let shown = words.replacing("&lt;", with: "<").replacing("<b>t</b>", with: "t")
      .replacing("<a href=\"\(message.link)\">", with: "").replacing("</a>", with: "")
    #expect(shown.utf16.count == 4096 && shown.hasSuffix("\nhttps://a.org/p"))
    #expect(shown.contains("…\n\(message.link)\n#launch #launch"))
  }

  @Test("Discord gets 6,000 characters in all")
  func discordLength() throws {
    var message = Message(title: String(repeating: "t", count: 200))
    message.body = String(repeating: "b", count: 5000)
    message.tags = Array(repeating: String(repeating: "g", count: 90), count: 50)
    let embed = try #require(
      try body("discord://discord.com/api/webhooks/1/s", message).member("embeds")?.items?.first)
    let texts = [
      embed.member("title")?.string, embed.member("description")?.string,
      embed.member("footer")?.member("text")?.string,
    ].compactMap(\.self)
    #expect(texts.count == 3 && texts.reduce(0) { $0 + $1.utf16.count } <= 6000)
    expect(texts[1].utf16.count, equals: 4096)
  }

  @Test("Teams gets less than 28 KB")
  func teamsLength() throws {
    var message = Message(title: String(repeating: "発", count: 200))
    message.body = String(repeating: "\"\n👨‍👩‍👧‍👦", count: 2000)
    message.link = "https://a.org/" + String(repeating: "x", count: 2000)
    message.picture = message.link
    message.tags = Array(repeating: "発射", count: 5000)
    let bytes = try body("teams://h/workflows/w", message).json
    #expect(bytes.count < 28_000, "\(bytes.count)")
  }

  @Test("a link that is too long for a service is left out, never cut")
  func longLinks() throws {
    var message = Message(title: "t", body: "b")
    message.link = "https://a.org/" + String(repeating: "x", count: 4000)
    for to in [
      "slack://hooks.slack.com/services/a", "discord://discord.com/api/webhooks/1/s", "telegram://1:A/2",
      "teams://h/workflows/w", "ntfy://h/t", "pushover://a/b",
    ] {
      #expect(try !body(to, message).description.contains("https://a.org"), "\(to)")
    }
  }
}
