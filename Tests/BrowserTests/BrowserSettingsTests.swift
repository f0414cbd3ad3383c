import Expectations
import JSON
import System
import Testing

@testable import Browser

@Suite struct BrowserSettingsTests {
  @Test("the config names the program and turns the sandbox off")
  func config() throws {
    let settings = try BrowserSettings(
      Value.parse(#"{"browser":{"command":"/opt/c","sandbox":"off"}}"#), folder: "/tmp")
    expect(settings.command, equals: "/opt/c")
    #expect(!settings.hasSandbox)
    #expect(try BrowserSettings(Value.parse("{}"), folder: "/tmp").hasSandbox)
    #expect(
      try BrowserSettings(Value.parse(#"{"browser":{"sandbox":false}}"#), folder: "/tmp").hasSandbox == false)
  }

  @Test(
    "what is wrong in it is named",
    arguments: [
      (#"{"browser":true}"#, "browser is a mapping"),
      (#"{"browser":{"sandbox":"maybe"}}"#, "browser: sandbox is on or off"),
      (#"{"browser":{"path":"x"}}"#, "browser has no “path”"),
      (#"{"browser":{"command":""}}"#, "browser: command is"),
    ])
  func mistakes(_ config: String, _ message: String) throws {
    do throws(Sentence) {
      _ = try BrowserSettings((try? Value.parse(config)) ?? .null, folder: "/tmp")
      Issue.record("no error")
    } catch {
      #expect("\(error)".hasPrefix(message))
    }
  }

  @Test("without a program it says what to install")
  func absent() {
    var settings = BrowserSettings(folder: "/tmp")
    settings.command = "/nowhere/chromium"
    do throws(Sentence) {
      _ = try settings.program()
      Issue.record("no error")
    } catch {
      expect(
        "\(error)",
        equals: "there is no program /nowhere/chromium, which browser: { command: … } of the config names")
    }
  }
}
