import Expectations
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
    try expect(read(["--", "-1", "-c"]).filter, equals: "-1")
    try expect(read(["-", "-5"]).files, equals: ["-5"])
    try expect(read(["-1", "-é", "-_"]).filter, equals: "-1")
    try expectNil(read([]).filter)
  }

  @Test func theLastIndentationCounts() throws {
    try expect(read(["-c", "--indent", "3"]).indent, equals: 3)
    try expect(read(["--tab", "-c"]).indent, equals: 0)
    #expect(try read(["--indent", "3", "--tab"]).usesTabs)
    try expect(read(["--tab", "--indent", "3"]).usesTabs, equals: false)
    try expect(read(["--tab", "--indent", "1", "--indent", "3"]).indent, equals: 3)
    try expect(read([]).indent, equals: 2)
  }

  @Test func theLastOfColoursAndNoneCounts() throws {
    try expectNil(read([]).colors)
    try expect(read(["-CM"]).colors, equals: false)
    try expect(read(["--monochrome-output", "-bC"]).colors, equals: true)
  }

  @Test func theMemoryLimitIsASize() throws {
    try expectNil(read(["."]).maxMemory)
    try expect(read([".", "--max-memory", "512MiB"]).maxMemory, equals: 512 << 20)
    try expect(read([".", "--max-memory", "8G"]).maxMemory, equals: 8 << 30)
    try expect(read([".", "--max-memory", "0"]).maxMemory, equals: 0)
    for wrong in ["", "GiB", "-1", "1.5GiB", "5 GiB", "99999999999GiB"] {
      #expect(throws: WrongUse.self) { try read([".", "--max-memory", wrong]) }
    }
  }

  @Test func argumentsByNameAndByPlace() throws {
    let options = try read([
      "--arg", "a", "1", "--argjson", "b", "[2]", "--arg", "a", "later", ".", "--args", "x", "--jsonargs",
      "3", "{}",
    ])
    expect(options.named.description, equals: #"{"a":"1","b":[2]}"#)
    expect(options.positional.map(\.description), equals: ["\"x\"", "3", "{}"])
  }

  @Test func twoValuesAreTakenAsTheyAre() throws {
    let options = try read([
      "--arg", "--tab", "-n", "--arg", "--", "--help", "--argjson", "-r", "-1", "-2", "-s",
    ])
    expect(options.named.description, equals: #"{"--tab":"-n","--":"--help","-r":-1}"#)
    #expect(options.filter == "-2" && options.slurp && !options.nullInput && !options.rawOutput)
  }

  @Test func variablesOfAllKindsKeepTheirOrder() throws {
    try withFile("1 [2]") { path throws in
      let options = try read([
        "--rawfile", "z", path, "--argjson", "y", "0", "--slurpfile", "x", path, "--arg", "w", "t", "--arg",
        "z", "",
      ])
      expect(options.named.description, equals: #"{"z":"1 [2]","y":0,"x":[1,[2]],"w":"t"}"#)
    }
  }

  @Test func operandsAreFilesUntilAnOptionSaysOtherwise() throws {
    let options = try read([
      ".", "a", "--args", "b", "-c", "--jsonargs", "1", "--args", "--", "--jsonargs", "c",
    ])
    expect(options.files, equals: ["a"])
    expect(options.positional.map(\.description), equals: ["\"b\"", "1", "\"--jsonargs\"", "\"c\""])
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
    try expect(
      read(["-L", "one", "-Ltwo", "--library-path", "three", "."]).libraryPaths,
      equals: [
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
