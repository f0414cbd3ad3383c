import Fetch
import Engine
import Language

/// The acts of a dry run, as lines for a shell.
package struct DryRun {
  private var text = ""

  package init() {}

  package mutating func add(_ arguments: [String], variables: [(String, String)] = [], input: [UInt8] = []) {
    if !input.isEmpty {
      let endsLine = input.last == UInt8(ascii: "\n")
      let read = String(decoding: endsLine ? input.dropLast() : input[...], as: UTF8.self)
      text += "printf '%s\(endsLine ? "\\n" : "")' \(shellQuoted(read)) | "
    }
    for (name, value) in variables { text += "\(printable(name))=\(shellQuoted(value)) " }
    text += shellQuoted(arguments) + "\n"
  }

  /// Adds a request as the command that would send it, with its secrets masked.
  package mutating func add(_ request: Request) {
    var arguments = ["curl", "-X", request.method.rawValue]
    for header in request.headers { arguments += ["-H", request.masked("\(header)")] }
    if !request.body.isEmpty { arguments += ["--data-binary", "@-"] }
    let body = Array(request.masked(String(decoding: request.body, as: UTF8.self)).utf8)
    add(arguments + [request.masked("\(request.address)")], input: body)
  }

  package mutating func add(line: String) { text += printable(line) + "\n" }

  /// Writes the lines, without the secrets that the world knows of.
  package mutating func write(to screen: Screen, in world: World) throws {
    if text.isEmpty { return }
    let bytes = Array((world[Secrets.self]?.masked(text) ?? text).utf8)
    text = ""
    try screen.write(bytes)
  }
}
