import JSON
import TestSupport
import Testing

@testable import flow

@Suite struct EvalOptionsTests {
  func read(_ arguments: [String]) throws(WrongUse) -> EvalOptions {
    try EvalOptions(Arguments(arguments, of: EvalCommand.manual))
  }

  @Test func shortOptionsStandTogether() throws {
    let options = try read(["-rcn", ".a", "file"])
    #expect(options.rawOutput && options.indent == 0 && options.nullInput)
    #expect(options.filter == ".a" && options.files == ["file"])
  }

  @Test func optionsMayFollowTheFilterAndEndWithTwoDashes() throws {
    let options = try read([".", "a", "-S", "--", "-x", "--tab"])
    #expect(options.sortKeys && options.files == ["a", "-x", "--tab"])
    #expect(try read(["--", "-1", "-c"]).filter == "-1")
    #expect(try read(["-", "-5"]).files == ["-5"])
    #expect(try read(["-1", "-é", "-_"]).filter == "-1")
    #expect(try read([]).filter == nil)
  }

  @Test func theLastIndentationCounts() throws {
    #expect(try read(["-c", "--indent", "3"]).indent == 3)
    #expect(try read(["--tab", "-c"]).indent == 0)
    #expect(try read(["--indent", "3", "--tab"]).usesTabs)
    #expect(try read(["--tab", "--indent", "3"]).usesTabs == false)
    #expect(try read(["--tab", "--indent", "1", "--indent", "3"]).indent == 3)
    #expect(try read([]).indent == 2)
  }

  @Test func theLastOfColoursAndNoneCounts() throws {
    #expect(try read([]).colors == nil)
    #expect(try read(["-CM"]).colors == false)
    #expect(try read(["--monochrome-output", "-bC"]).colors == true)
  }

  @Test func theMemoryLimitIsASize() throws {
    #expect(try read(["."]).maxMemory == nil)
    #expect(try read([".", "--max-memory", "512MiB"]).maxMemory == 512 << 20)
    #expect(try read([".", "--max-memory", "8G"]).maxMemory == 8 << 30)
    #expect(try read([".", "--max-memory", "0"]).maxMemory == 0)
    for wrong in ["", "GiB", "-1", "1.5GiB", "5 GiB", "99999999999GiB"] {
      #expect(throws: WrongUse.self) { try read([".", "--max-memory", wrong]) }
    }
  }

  @Test func argumentsByNameAndByPlace() throws {
    let options = try read([
      "--arg", "a", "1", "--argjson", "b", "[2]", "--arg", "a", "later", ".", "--args", "x", "--jsonargs",
      "3", "{}",
    ])
    #expect(options.named.description == #"{"a":"1","b":[2]}"#)
    #expect(options.positional.map(\.description) == ["\"x\"", "3", "{}"])
  }

  @Test func twoValuesAreTakenAsTheyAre() throws {
    let options = try read([
      "--arg", "--tab", "-n", "--arg", "--", "--help", "--argjson", "-r", "-1", "-2", "-s",
    ])
    #expect(options.named.description == #"{"--tab":"-n","--":"--help","-r":-1}"#)
    #expect(options.filter == "-2" && options.slurp && !options.nullInput && !options.rawOutput)
  }

  @Test func variablesOfAllKindsKeepTheirOrder() throws {
    try withFile("1 [2]") { path throws in
      let options = try read([
        "--rawfile", "z", path, "--argjson", "y", "0", "--slurpfile", "x", path, "--arg", "w", "t", "--arg",
        "z", "",
      ])
      #expect(options.named.description == #"{"z":"1 [2]","y":0,"x":[1,[2]],"w":"t"}"#)
    }
  }

  @Test func operandsAreFilesUntilAnOptionSaysOtherwise() throws {
    let options = try read([
      ".", "a", "--args", "b", "-c", "--jsonargs", "1", "--args", "--", "--jsonargs", "c",
    ])
    #expect(options.files == ["a"])
    #expect(options.positional.map(\.description) == ["\"b\"", "1", "\"--jsonargs\"", "\"c\""])
    // The first operand is the filter all the same.
    let first = try read(["--jsonargs", ".a", "{}"])
    #expect(first.filter == ".a" && first.positional.map(\.description) == ["{}"])
    #expect(
      throws: WrongUse(
        "invalid JSON text passed to --jsonargs: Unfinished JSON term at EOF at line 1, column 1")
    ) {
      try read([".", "--jsonargs", "{"])
    }
  }

  @Test func libraryPathsBothWays() throws {
    #expect(
      try read(["-L", "one", "-Ltwo", "--library-path", "three", "."]).libraryPaths == [
        "one", "two", "three",
      ])
  }

  @Test(arguments: [
    (["-x"], "unknown option “-x”"), (["-rx"], "unknown option “-x” in “-rx”"),
    (["--what"], "unknown option “--what”"),
    (["--null-inptu"], "unknown option “--null-inptu”; did you mean “--null-input”?"),
    (["--indent", "8"], "--indent takes a number from 0 to 7, not “8”"),
    (["--indent", "8", "-c"], "--indent takes a number from 0 to 7, not “8”"),
    (["--indent"], "--indent needs a value: --indent N"),
    (["--arg", "a"], "--arg needs two values after it: --arg NAME TEXT"),
    (["--slurpfile", "a"], "--slurpfile needs two values after it: --slurpfile NAME FILE"),
    (["-L"], "-L needs a value: -L DIR"),
    (
      ["--argjson", "a", "{"],
      "invalid JSON text passed to --argjson a: Unfinished JSON term at EOF at line 1, column 1"
    ),
  ])
  func wrongUseIsExplained(_ arguments: [String], _ message: String) {
    #expect(throws: WrongUse(message)) { try read(arguments) }
  }
}
