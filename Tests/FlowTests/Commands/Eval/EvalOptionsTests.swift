import JSON
import Testing

@testable import flow

@Suite struct EvalOptionsTests {
  @Test func shortOptionsStandTogether() throws {
    let options = try EvalOptions(["-rcn", ".a", "file"])
    #expect(options.rawOutput && options.indent == 0 && options.nullInput)
    #expect(options.filter == ".a" && options.files == ["file"])
  }

  @Test func optionsMayFollowTheFilterAndEndWithTwoDashes() throws {
    let options = try EvalOptions([".", "a", "-S", "--", "-x", "--tab"])
    #expect(options.sortKeys && options.files == ["a", "-x", "--tab"])
    #expect(try EvalOptions(["--", "-1", "-c"]).filter == "-1")
    #expect(try EvalOptions(["-", "-5"]).files == ["-5"])
  }

  @Test func theLastIndentationCounts() throws {
    #expect(try EvalOptions(["-c", "--indent", "3"]).indent == 3)
    #expect(try EvalOptions(["--tab", "-c"]).indent == 0)
    #expect(try EvalOptions(["--indent", "3", "--tab"]).usesTabs)
  }

  @Test func theMemoryLimitIsASize() throws {
    #expect(try EvalOptions(["."]).maxMemory == nil)
    #expect(try EvalOptions([".", "--max-memory", "512MiB"]).maxMemory == 512 << 20)
    #expect(try EvalOptions([".", "--max-memory", "8G"]).maxMemory == 8 << 30)
    #expect(try EvalOptions([".", "--max-memory", "0"]).maxMemory == 0)
    for wrong in ["", "GiB", "-1", "1.5GiB", "5 GiB", "99999999999GiB"] {
      #expect(throws: WrongUse.self) { try EvalOptions([".", "--max-memory", wrong]) }
    }
  }

  @Test func argumentsByNameAndByPlace() throws {
    let options = try EvalOptions([
      "--arg", "a", "1", "--argjson", "b", "[2]", "--arg", "a", "later", ".", "--args", "x", "--jsonargs",
      "3", "{}",
    ])
    #expect(options.named.description == #"{"a":"1","b":[2]}"#)
    #expect(options.positional.map(\.description) == ["\"x\"", "3", "{}"])
  }

  @Test func libraryPathsBothWays() throws {
    #expect(
      try EvalOptions(["-L", "one", "-Ltwo", "--library-path", "three", "."]).libraryPaths == [
        "one", "two", "three",
      ])
  }

  @Test(arguments: [
    (["-x"], "unknown option -x"), (["-rx"], "unknown option -x in -rx"),
    (["--what"], "unknown option --what"),
    (["--indent", "8"], "--indent takes a number from 0 to 7"), (["--indent"], "--indent takes a parameter"),
    (["--arg", "a"], "--arg takes two parameters, a name and a value"),
    (["--slurpfile", "a"], "--slurpfile takes two parameters, a name and a file"),
    (["-L"], "-L takes a parameter"),
    (
      ["--argjson", "a", "{"],
      "invalid JSON text passed to --argjson a: Unfinished JSON term at EOF at line 1, column 1"
    ),
  ])
  func wrongUseIsExplained(_ arguments: [String], _ message: String) {
    #expect(throws: WrongUse(message)) { try EvalOptions(arguments) }
  }
}
