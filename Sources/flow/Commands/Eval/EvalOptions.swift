import Decode
import JSON
import Language
import Nodes
import System

/// The options of `flow eval`: jq's, with jq's meaning.
struct EvalOptions {
  var filter: String?
  var isFilterFile = false
  var files: [String] = []
  var libraryPaths: [String] = []

  var nullInput = false
  var rawInput = false
  var slurp = false
  var sequence = false
  var stream = false
  var streamErrors = false
  /// The format of the input, unless it is JSON.
  var format: DecodedFile.Format?

  var rawOutput = false
  /// Nothing after an output: `-j`.
  var joinOutput = false
  /// NUL after an output: `--raw-output0`.
  var nulOutput = false
  var asciiOutput = false
  var sortKeys = false
  var indent = 2
  var usesTabs = false
  /// Set by `-C` and `-M`; nil for what the terminal suggests.
  var colors: Bool?
  var unbuffered = false
  var exitStatus = false

  /// `--arg` and its variants by name; the first of a name counts.
  var named = Value.emptyObject
  var positional: [Value] = []

  /// The memory limit of the program in bytes; nil for the default, 0 for no limit.
  var maxMemory: Int?

  var wantsHelp = false
  var wantsVersion = false

  init() {}

  init(_ arguments: [String]) throws(WrongUse) {
    var rest = arguments[...]
    var positionals = Positionals.files
    var optionsEnded = false
    while let argument = rest.popFirst() {
      if optionsEnded || !EvalOptions.looksLikeOption(argument) {
        try take(argument, positionals)
      } else if argument == "--" {
        optionsEnded = true
      } else if argument.hasPrefix("--") {
        try takeLong(String(argument.dropFirst(2)), &rest, &positionals)
      } else {
        try takeShort(argument, &rest)
      }
    }
    if format != nil, rawInput || stream || sequence {
      throw WrongUse("--decode is another way to read than --raw-input, --stream and --seq: choose one")
    }
  }

  private enum Positionals { case files, texts, json }

  private static func looksLikeOption(_ argument: String) -> Bool {
    let bytes = Array(argument.utf8.prefix(2))
    guard bytes.count == 2, bytes[0] == 0x2d else { return false }
    return bytes[1] == 0x2d || (bytes[1] | 0x20) &- 0x61 < 26
  }

  private mutating func take(_ argument: String, _ positionals: Positionals) throws(WrongUse) {
    if filter == nil {
      filter = argument
      return
    }
    switch positionals {
    case .files: files.append(argument)
    case .texts: positional.append(.string(argument))
    case .json: positional.append(try EvalOptions.json(argument, for: "--jsonargs"))
    }
  }

  private static func json(_ text: String, for option: String) throws(WrongUse) -> Value {
    do {
      return try Value.parse(text)
    } catch {
      throw WrongUse("invalid JSON text passed to \(option): \(error)")
    }
  }

  private mutating func takeShort(_ argument: String, _ rest: inout ArraySlice<String>) throws(WrongUse) {
    for (place, letter) in argument.dropFirst().enumerated() {
      switch letter {
      case "L":
        // `-L folder` and `-Lfolder`.
        let attached = argument.dropFirst(place + 2)
        libraryPaths.append(attached.isEmpty ? try parameter("-L", &rest) : String(attached))
        return
      case "n": nullInput = true
      case "R": rawInput = true
      case "s": slurp = true
      case "r": rawOutput = true
      case "j": (rawOutput, joinOutput) = (true, true)
      case "a": asciiOutput = true
      case "c": (indent, usesTabs) = (0, false)
      case "C": colors = true
      case "M": colors = false
      case "S": sortKeys = true
      case "e": exitStatus = true
      case "f": isFilterFile = true
      case "b": break
      case "h": wantsHelp = true
      case "V": wantsVersion = true
      default: throw WrongUse("unknown option -\(letter)\(argument.count > 2 ? " in \(argument)" : "")")
      }
    }
  }

  private mutating func takeLong(
    _ name: String, _ rest: inout ArraySlice<String>, _ positionals: inout Positionals
  ) throws(WrongUse) {
    switch name {
    case "null-input": nullInput = true
    case "raw-input": rawInput = true
    case "slurp": slurp = true
    case "seq": sequence = true
    case "stream": stream = true
    case "stream-errors": (stream, streamErrors) = (true, true)
    case "decode": try takeFormat(&rest)
    case "raw-output": rawOutput = true
    case "raw-output0": (rawOutput, nulOutput) = (true, true)
    case "join-output": (rawOutput, joinOutput) = (true, true)
    case "ascii-output": asciiOutput = true
    case "compact-output": (indent, usesTabs) = (0, false)
    case "color-output": colors = true
    case "monochrome-output": colors = false
    case "sort-keys": sortKeys = true
    case "tab": (indent, usesTabs) = (1, true)
    case "indent": try takeIndent(&rest)
    case "max-memory": try takeMaxMemory(&rest)
    case "unbuffered": unbuffered = true
    case "exit-status": exitStatus = true
    case "from-file": isFilterFile = true
    case "library-path": libraryPaths.append(try parameter("--library-path", &rest))
    case "binary": break
    case "args": positionals = .texts
    case "jsonargs": positionals = .json
    case "arg", "argjson", "slurpfile", "rawfile": try takeNamed("--\(name)", &rest)
    case "help": wantsHelp = true
    case "version": wantsVersion = true
    default: throw WrongUse("unknown option --\(name)")
    }
  }

  private func parameter(_ option: String, _ rest: inout ArraySlice<String>) throws(WrongUse) -> String {
    guard let value = rest.popFirst() else { throw WrongUse("\(option) takes a parameter") }
    return value
  }

  private mutating func takeIndent(_ rest: inout ArraySlice<String>) throws(WrongUse) {
    guard let width = Int(try parameter("--indent", &rest)), (0...7).contains(width) else {
      throw WrongUse("--indent takes a number from 0 to 7")
    }
    (indent, usesTabs) = (width, false)
  }

  private mutating func takeFormat(_ rest: inout ArraySlice<String>) throws(WrongUse) {
    let text = try parameter("--decode", &rest)
    do throws(Problem) {
      format = try DecodedFile.Format(text, from: "--decode", in: .all)
    } catch {
      throw WrongUse("\(error)")
    }
  }

  private mutating func takeMaxMemory(_ rest: inout ArraySlice<String>) throws(WrongUse) {
    let text = try parameter("--max-memory", &rest)
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let shifts = ["": 0, "KiB": 10, "MiB": 20, "GiB": 30, "K": 10, "M": 20, "G": 30]
    guard let number = Int(digits), let shift = shifts[String(text.dropFirst(digits.count))],
      number <= Int.max >> shift
    else {
      throw WrongUse("--max-memory takes a size such as 512MiB or 8GiB, or 0 for no limit, not \"\(text)\"")
    }
    maxMemory = number << shift
  }

  private mutating func takeNamed(_ option: String, _ rest: inout ArraySlice<String>) throws(WrongUse) {
    guard let name = rest.popFirst(), let text = rest.popFirst() else {
      throw WrongUse(
        "\(option) takes two parameters, a name and a \(option.hasSuffix("file") ? "file" : "value")")
    }
    let value: Value
    switch option {
    case "--arg": value = .string(text)
    case "--argjson": value = try EvalOptions.json(text, for: "--argjson \(name)")
    default: value = try EvalOptions.contents(text, isRaw: option == "--rawfile", "\(option) \(name) \(text)")
    }
    if named.member(name) == nil { named.setMember(Key(name), value) }
  }

  private static func contents(
    _ path: String, isRaw: Bool, _ what: String
  ) throws(WrongUse) -> Value {
    do {
      let bytes = try readFile(path)
      if isRaw { return bytes.withUnsafeBufferPointer { Value.string(repairing: $0) } }
      let mark = EvalInput.byteOrderMark
      return .array(try Value.parseAll(bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes))
    } catch let error as FileFailure {
      throw WrongUse("bad JSON in \(what): \(error.inWordsOfJQ)")
    } catch {
      throw WrongUse("bad JSON in \(what): \(error)")
    }
  }
}
