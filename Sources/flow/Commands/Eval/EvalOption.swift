/// The options of `flow eval`: jq's, and a few more.
enum EvalOption {
  static let null = CommandOption(
    "null-input", short: "n", .flag, "run once with null as input; `input` and `inputs` read the values")
  static let slurp = CommandOption("slurp", short: "s", .flag, "all values as one array")
  static let raw = CommandOption(
    "raw-input", short: "R", .flag, "read lines as strings; with -s all input as one string")
  static let seq = CommandOption("seq", .flag, "separate values by RS (RFC 7464), in output too")
  static let decode = CommandOption(
    "decode", .value("FORMAT"),
    "read csv, '{ csv: { delimiter: \";\" } }' or another format of `flow docs decoders`")
  static let stream = CommandOption("stream", .flag, "read events [path, leaf] instead of values")
  static let streamErrors = CommandOption(
    "stream-errors", .flag, "the same, with errors in the input as events")

  static let compact = CommandOption("compact-output", short: "c", .flag, "one line per value")
  static let tab = CommandOption("tab", .flag, "indent by tabs")
  static let indent = CommandOption("indent", .value("N"), "indent by N spaces, 0 to 7")
  static let rawOutput = CommandOption("raw-output", short: "r", .flag, "print strings without quotes")
  static let join = CommandOption("join-output", short: "j", .flag, "the same, without line breaks")
  static let rawOutput0 = CommandOption("raw-output0", .flag, "the same, with NUL after each")
  static let ascii = CommandOption("ascii-output", short: "a", .flag, "escape all characters beyond ASCII")
  static let sort = CommandOption("sort-keys", short: "S", .flag, "members sorted by name")
  static let color = CommandOption(
    "color-output", short: "C", .flag, "always use colours; $JQ_COLORS sets them")
  static let monochrome = CommandOption("monochrome-output", short: "M", .flag, "never use colours")
  static let unbuffered = CommandOption("unbuffered", .flag, "write each output at once")
  static let exitStatus = CommandOption(
    "exit-status", short: "e", .flag, "exit with 1 if the last output is false or null, 4 if there is none")

  static let fromFile = CommandOption(
    "from-file", short: "f", .flag, "read the program from the file FILTER")
  static let library = CommandOption(
    "library-path", short: "L", .path("DIR"), "search modules in this folder; may be repeated")
  static let arg = CommandOption("arg", .pair("NAME", "TEXT"), "set $NAME to a string")
  static let argjson = CommandOption("argjson", .pair("NAME", "JSON"), "set $NAME to a JSON value")
  static let slurpfile = CommandOption(
    "slurpfile", .pair("NAME", "FILE"), "set $NAME to an array of the values in a file")
  static let rawfile = CommandOption("rawfile", .pair("NAME", "FILE"), "set $NAME to the text of a file")
  static let args = CommandOption("args", .flag, "operands after this are strings: $ARGS.positional")
  static let jsonargs = CommandOption("jsonargs", .flag, "the same, as JSON values")
  static let memory = CommandOption(
    "max-memory", .value("SIZE"),
    "memory limit such as 8GiB, or 0 for none (default: a quarter of the memory, at most 2GiB)")

  static let binary = CommandOption("binary", short: "b", .flag, "no effect; jq has it for Windows")
  static let version = CommandOption("version", short: "V", .flag, "print the version")

  static let groups = [
    ("Input", [null, slurp, raw, seq, decode, stream, streamErrors]),
    (
      "Output",
      [
        compact, tab, indent, rawOutput, join, rawOutput0, ascii, sort, color, monochrome, unbuffered,
        exitStatus,
      ]
    ),
    ("Program", [fromFile, library, arg, argjson, slurpfile, rawfile, args, jsonargs, memory]),
    ("Other", [binary, version]),
  ]
}
