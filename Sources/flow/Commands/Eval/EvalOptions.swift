import Decode
import JSON
import Language
import System

/// The options of `flow eval` as they were given, with jq's meaning.
struct EvalOptions {
  /// The filter or, with `-f`, its file.
  let filter: String?
  let isFilterFile: Bool
  private(set) var files: [String] = []
  let libraryPaths: [String]

  let nullInput: Bool
  let rawInput: Bool
  let slurp: Bool
  let sequence: Bool
  let stream: Bool
  let streamErrors: Bool
  /// The format of the input, unless it is JSON.
  let format: DecodedFile.Format?

  let rawOutput: Bool
  /// Nothing after an output: `-j`.
  let joinOutput: Bool
  /// NUL after an output: `--raw-output0`.
  let nulOutput: Bool
  let asciiOutput: Bool
  let sortKeys: Bool
  let indent: Int
  let usesTabs: Bool
  /// Set by `-C` and `-M`; nil for what the terminal suggests.
  let colors: Bool?
  let unbuffered: Bool
  let exitStatus: Bool

  /// `--arg` and its variants by name; the first of a name counts.
  private(set) var named = Value.emptyObject
  private(set) var positional: [Value] = []

  /// The memory limit of the program in bytes; nil for the default, 0 for no limit.
  let maxMemory: Int?

  init(_ arguments: Arguments) throws(WrongUse) {
    filter = arguments.operands.first
    isFilterFile = arguments.has(EvalOption.fromFile)
    libraryPaths = arguments.texts(EvalOption.library)
    nullInput = arguments.has(EvalOption.null)
    rawInput = arguments.has(EvalOption.raw)
    slurp = arguments.has(EvalOption.slurp)
    sequence = arguments.has(EvalOption.seq)
    streamErrors = arguments.has(EvalOption.streamErrors)
    stream = streamErrors || arguments.has(EvalOption.stream)
    joinOutput = arguments.has(EvalOption.join)
    nulOutput = arguments.has(EvalOption.rawOutput0)
    rawOutput = joinOutput || nulOutput || arguments.has(EvalOption.rawOutput)
    asciiOutput = arguments.has(EvalOption.ascii)
    sortKeys = arguments.has(EvalOption.sort)
    let width = try arguments.number(EvalOption.indent, in: 0...7)
    let layout = arguments.given(EvalOption.compact, EvalOption.tab, EvalOption.indent).last?.option
    usesTabs = layout == EvalOption.tab
    indent = usesTabs ? 1 : layout == EvalOption.compact ? 0 : width ?? 2
    colors = arguments.given(EvalOption.color, EvalOption.monochrome).last.map {
      $0.option == EvalOption.color
    }
    unbuffered = arguments.has(EvalOption.unbuffered)
    exitStatus = arguments.has(EvalOption.exitStatus)
    maxMemory = try arguments.text(EvalOption.memory).map(EvalOptions.size)
    format = try arguments.text(EvalOption.decode).map(EvalOptions.format)
    if format != nil, rawInput || stream || sequence {
      throw WrongUse("--decode is another way to read than --raw-input, --stream and --seq: choose one")
    }
    for given in arguments.given(EvalOption.arg, EvalOption.argjson, EvalOption.slurpfile, EvalOption.rawfile)
    {
      let value = try EvalOptions.value(given)
      if named.member(given.value) == nil { named.setMember(Key(given.value), value) }
    }
    let modes = arguments.given(EvalOption.args, EvalOption.jsonargs)
    for (place, operand) in arguments.operands.enumerated().dropFirst() {
      switch modes.last(where: { $0.place <= place })?.option {
      case EvalOption.args?: positional.append(.string(operand))
      case EvalOption.jsonargs?: positional.append(try EvalOptions.json(operand, for: "--jsonargs"))
      default: files.append(operand)
      }
    }
  }

  private static func json(_ text: String, for option: String) throws(WrongUse) -> Value {
    do {
      return try Value.parse(text)
    } catch {
      throw WrongUse("invalid JSON text passed to \(option): \(error)")
    }
  }

  private static func format(_ text: String) throws(WrongUse) -> DecodedFile.Format {
    do throws(Problem) {
      return try DecodedFile.Format(text, from: "--decode", in: .all)
    } catch {
      throw WrongUse("\(error)")
    }
  }

  private static func size(_ text: String) throws(WrongUse) -> Int {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let shifts = ["": 0, "KiB": 10, "MiB": 20, "GiB": 30, "K": 10, "M": 20, "G": 30]
    guard let number = Int(digits), let shift = shifts[String(text.dropFirst(digits.count))],
      number <= Int.max >> shift
    else {
      throw WrongUse(
        "--max-memory takes a size such as 512MiB or 8GiB, or 0 for no limit, not \(quoted(text))")
    }
    return number << shift
  }

  /// The value of `--arg` or one of its variants.
  private static func value(_ given: Arguments.Given) throws(WrongUse) -> Value {
    let (name, text) = (given.value, given.second)
    if given.option == EvalOption.arg { return .string(text) }
    if given.option == EvalOption.argjson { return try json(text, for: "--argjson \(name)") }
    do {
      let bytes = try readFile(text)
      if given.option == EvalOption.rawfile {
        return bytes.withUnsafeBufferPointer { Value.string(repairing: $0) }
      }
      let mark = EvalInput.byteOrderMark
      return .array(try Value.parseAll(bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes))
    } catch {
      let reason = (error as? FileFailure)?.inWordsOfJQ ?? "\(error)"
      throw WrongUse("bad JSON in --\(given.option.name) \(name) \(text): \(reason)")
    }
  }
}
