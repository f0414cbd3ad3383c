import Engine
import Language

/// What commands would be run, as lines that somebody could paste into a shell.
struct DryRun {
  private var text = ""

  mutating func add(_ arguments: [String], variables: [(String, String)] = [], input: [UInt8] = []) {
    if !input.isEmpty {
      let endsLine = input.last == UInt8(ascii: "\n")
      let read = String(decoding: endsLine ? input.dropLast() : input[...], as: UTF8.self)
      text += "printf '%s\(endsLine ? "\\n" : "")' \(shellQuoted(read)) | "
    }
    for (name, value) in variables { text += "\(printable(name))=\(shellQuoted(value)) " }
    text += shellQuoted(arguments) + "\n"
  }

  mutating func add(line: String) { text += printable(line) + "\n" }

  mutating func write(to screen: Screen) throws {
    if text.isEmpty { return }
    let bytes = Array(text.utf8)
    text = ""
    try screen.write(bytes)
  }
}
