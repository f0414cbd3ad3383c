import Expectations
import Testing

@testable import flow

@Suite struct ArgumentsTests {
  static let lines = CommandOption("lines", short: "n", .value("NUM"), "how many")
  static let follow = CommandOption("follow", short: "f", .flag, "go on")
  static let color = CommandOption("color", .toggle, "colours")
  static let format = CommandOption("format", .choice(["text", "svg"]), "which")
  static let set = CommandOption("set", .value("NAME=VALUE"), "a variable")
  static let rename = CommandOption("rename", .pair("FROM", "TO"), "another name")
  static let manual = Manual(
    "show", "show it", operands: .some("FILE"), options: [lines, follow, color, format, set, rename])

  func read(_ arguments: String...) throws(WrongUse) -> Arguments {
    try Arguments(arguments, of: ArgumentsTests.manual)
  }

  func mistake(_ arguments: String...) -> String? {
    do throws(WrongUse) {
      _ = try Arguments(arguments, of: ArgumentsTests.manual)
      return nil
    } catch {
      return error.message
    }
  }

  @Test("a value stands after the option, on it, or behind an equals sign")
  func values() throws {
    for form in [["-n", "5"], ["-n5"], ["--lines", "5"], ["--lines=5"], ["-fn5"], ["-fn", "5"]] {
      let arguments = try Arguments(["a"] + form + ["b"], of: ArgumentsTests.manual)
      expect(arguments.text(Self.lines), equals: "5", "\(form)")
      try expect(arguments.number(Self.lines), equals: 5)
      expect(arguments.operands, equals: ["a", "b"])
      expect(arguments.has(Self.follow), equals: (form[0].hasPrefix("-f")))
    }
    try expect(read("a", "--set=x=1=2", "--set", "y=").texts(Self.set), equals: ["x=1=2", "y="])
    try expect(read("a", "--set=").text(Self.set), equals: "")
    try expect(read("a", "-n", "-5").text(Self.lines), equals: "-5")
  }

  @Test("the last of an option and its opposite counts")
  func toggles() throws {
    try expectNil(read("a").isOn(Self.color))
    try expect(read("a", "--color").isOn(Self.color), equals: true)
    try expect(read("a", "--color", "--no-color").isOn(Self.color), equals: false)
    try expect(read("a", "-n1", "-n2").text(Self.lines), equals: "2")
    try expect(read("a", "-ff", "-f").given(Self.follow).count, equals: 3)
  }

  @Test("options are known in the order in which they were given, among the operands")
  func order() throws {
    let given = try read("-f", "a", "--lines=1", "b", "--no-color", "-fn2").given(
      Self.lines, Self.color, Self.follow)
    expect(given.map(\.option), equals: [Self.follow, Self.lines, Self.color, Self.follow, Self.lines])
    #expect(given.map(\.value) == ["", "1", "false", "", "2"] && given.map(\.place) == [0, 1, 2, 2, 2])
  }

  @Test("a pair is the two arguments after its option, whatever they look like")
  func pairs() throws {
    let arguments = try read("--rename", "--follow", "--", "a", "--rename", "x", "-h")
    let pairs = arguments.given(Self.rename)
    #expect(pairs.map(\.value) == ["--follow", "x"] && pairs.map(\.second) == ["--", "-h"])
    #expect(!arguments.has(Self.follow) && !arguments.wantsHelp && arguments.operands == ["a"])
    for wrong in [["a", "--rename"], ["a", "--rename", "b"], ["--rename=a", "b", "c"]] {
      #expect(throws: WrongUse("--rename needs two values after it: --rename FROM TO")) {
        try Arguments(wrong, of: Self.manual)
      }
    }
  }

  @Test("after two dashes everything is an operand, and one dash is one, also before what is no letter")
  func operands() throws {
    try expect(read("-", "--", "-n", "--").operands, equals: ["-", "-n", "--"])
    try expect(read("-5", "-.a", "-é").operands, equals: ["-5", "-.a", "-é"])
    expect(mistake("-f"), equals: "FILE is missing")
  }

  @Test("an option that is not there is named, with the one that was meant")
  func unknownOptions() {
    expect(mistake("a", "--folow"), equals: "unknown option “--folow”; did you mean “--follow”?")
    expect(mistake("a", "--line=3"), equals: "unknown option “--line”; did you mean “--lines”?")
    expect(mistake("a", "-F"), equals: "unknown option “-F”; did you mean “-f”?")
    expect(mistake("a", "-fx"), equals: "unknown option “-x” in “-fx”")
  }

  @Test("a value too many, too few or wrong is a mistake")
  func wrongValues() throws {
    expect(mistake("a", "--lines"), equals: "--lines needs a value: --lines NUM")
    expect(mistake("a", "-n"), equals: "-n needs a value: -n NUM")
    expect(
      mistake("a", "-n", "--follow"), equals: "-n needs a value, -n NUM, but the option “--follow” follows it"
    )
    expect(mistake("a", "--follow=1"), equals: "--follow takes no value, but “--follow=1” has one")
    expect(mistake("a", "--format=svgg"), equals: "--format cannot be “svgg”; did you mean “svg”?")
    #expect(throws: WrongUse("--lines takes a number from 1 to 9, not “ten”")) {
      try read("a", "-nten").number(Self.lines, in: 1...9)
    }
  }

  @Test("help is asked for before anything is complained of")
  func help() throws {
    #expect(try read("-h", "--wrong").wantsHelp)
    #expect(try read("-fh").wantsHelp)
  }
}
