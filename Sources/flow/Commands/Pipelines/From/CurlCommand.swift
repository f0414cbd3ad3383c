import Fetch
import JSON
import Language
import System

/// A command line of curl, as browsers copy it and documentation shows it: its address, method, headers and body.
///
///     try CurlCommand("curl -H 'X-Key: a' https://example.org/items").address   // https://example.org/items
struct CurlCommand {
  private(set) var address = ""
  private(set) var headers: [Header] = []
  /// A user name and a password.
  private(set) var user: String?
  private(set) var isPost = false
  private(set) var body: Value?
  /// The options that are left out, as they were written.
  private(set) var omitted: [String] = []

  private enum Meaning {
    case header, user, method, data, json, cookie, agent, referer, query, url, nothing, nothingWithValue
  }

  private static let options: [String: Meaning] = [
    "-H": .header, "--header": .header, "-u": .user, "--user": .user, "-X": .method, "--request": .method,
    "-d": .data, "--data": .data, "--data-raw": .data, "--data-ascii": .data, "--data-binary": .data,
    "--json": .json, "-b": .cookie, "--cookie": .cookie, "-A": .agent, "--user-agent": .agent, "-e": .referer,
    "--referer": .referer, "-G": .query, "--get": .query, "--url": .url, "--compressed": .nothing,
    "-s": .nothing,
    "--silent": .nothing, "-S": .nothing, "--show-error": .nothing, "-L": .nothing, "--location": .nothing,
    "-f": .nothing, "--fail": .nothing, "-v": .nothing, "--verbose": .nothing, "-i": .nothing,
    "--include": .nothing, "-O": .nothing, "-o": .nothingWithValue, "--output": .nothingWithValue,
    "-m": .nothingWithValue, "--max-time": .nothingWithValue, "--connect-timeout": .nothingWithValue,
    "--retry": .nothingWithValue,
  ]

  /// Headers of browsers and connections that say nothing about what is asked for.
  private static let idle: Set<String> = [
    "accept-encoding", "connection", "content-length", "host", "priority", "dnt", "upgrade-insecure-requests",
    "cache-control", "pragma", "if-none-match", "if-modified-since", "te",
  ]

  init(_ text: String) throws(WrongUse) {
    var words = try Self.words(of: text)[...]
    if words.first == "curl" { words.removeFirst() }
    var method: String?
    var data: [String] = []
    var cookies: [String] = []
    var isQuery = false
    while let word = words.popFirst() {
      guard word.hasPrefix("-"), word != "-" else {
        try set(address: word)
        continue
      }
      var (name, attached) = (word, String?.none)
      if !word.hasPrefix("--"), word.count > 2 {
        // -XPOST, or several letters as in -sSL.
        (name, attached) = (String(word.prefix(2)), String(word.dropFirst(2)))
      } else if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
        (name, attached) = (String(word[..<equals]), String(word[word.index(after: equals)...]))
      }
      guard let meaning = Self.options[name] else {
        throw WrongUse(
          "--from-curl: \(quoted(name)) of curl has no meaning here; leave it out if it does not matter")
      }
      if meaning == .nothing || meaning == .query {
        isQuery = isQuery || meaning == .query
        if let attached { words = ["-\(attached)"] + words }
        continue
      }
      guard let value = attached ?? words.popFirst() else {
        throw WrongUse("--from-curl: \(name) has no value")
      }
      switch meaning {
      case .header: try add(value)
      case .user: user = value
      case .method: method = value.uppercased()
      case .data, .json:
        if value.hasPrefix("@") {
          throw WrongUse("--from-curl: \(name) \(value) reads a file; write its text instead")
        }
        data.append(value)
      case .cookie:
        guard value.contains("=") else {
          throw WrongUse(
            "--from-curl: \(name) \(value) reads a file; write its cookies instead, as in a=1; b=2")
        }
        cookies.append(value)
      case .agent: headers.append(Header("User-Agent", value))
      case .referer: headers.append(Header("Referer", value))
      case .url: try set(address: value)
      case .query, .nothing, .nothingWithValue: break
      }
    }
    if !cookies.isEmpty { headers.append(Header("Cookie", cookies.joined(separator: "; "))) }
    if address.isEmpty { throw WrongUse("--from-curl: there is no address in this command") }
    try finish(method, data.joined(separator: "&"), isQuery: isQuery)
  }

  private mutating func set(address text: String) throws(WrongUse) {
    if !address.isEmpty { throw WrongUse("--from-curl: there are two addresses, \(address) and \(text)") }
    address = text.has("://") ? text : "http://\(text)"
  }

  private mutating func add(_ text: String) throws(WrongUse) {
    if text.hasPrefix("@") {
      throw WrongUse("--from-curl: -H \(text) reads a file; write its headers instead")
    }
    guard let header = NewRequest.header(text) else { return omitted.append(text) }
    let name = header.name.lowercased()
    if Self.idle.contains(name) || name.hasPrefix("sec-") {
      omitted.append(header.name)
    } else {
      headers.append(header)
    }
  }

  private mutating func finish(_ method: String?, _ data: String, isQuery: Bool) throws(WrongUse) {
    if isQuery {
      if !data.isEmpty { address += (address.contains("?") ? "&" : "?") + data }
    } else if !data.isEmpty {
      guard let value = try? Value.parse(Array(data.utf8), .strict) else {
        throw WrongUse(
          "--from-curl: the body of this request is not JSON, and http sends no other; use -G if it belongs to the address"
        )
      }
      body = value
      headers.removeAll { $0.name.lowercased() == "content-type" }
    }
    switch method ?? (body == nil ? "GET" : "POST") {
    case "GET" where body == nil: break
    case "POST": isPost = true
    case "GET": throw WrongUse("--from-curl: a GET request has no body")
    case let other: throw WrongUse("--from-curl: http polls by GET or POST, not by \(other)")
    }
  }

  // MARK: - Words of a shell

  /// The words of a command line, without the shell's quotes and backslashes.
  private static func words(of text: String) throws(WrongUse) -> [String] {
    var words: [String] = []
    var word: String?
    var rest = Array(text)[...]
    while let letter = rest.popFirst() {
      switch letter {
      case " ", "\t", "\n", "\r\n":
        if let done = word { words.append(done) }
        word = nil
      case "\\":
        guard let next = rest.popFirst() else { break }
        // A backslash at the end of a line continues it.
        if !next.isNewline { word = (word ?? "") + String(next) }
      case "'", "\"":
        word = (word ?? "") + (try quote(&rest, letter, isANSI: false))
      case "$" where Self.isName(rest.first): throw Self.variable(rest)
      case "$" where rest.first == "'":
        rest.removeFirst()
        word = (word ?? "") + (try quote(&rest, "'", isANSI: true))
      default: word = (word ?? "") + String(letter)
      }
    }
    if let word { words.append(word) }
    return words
  }

  private static func isName(_ letter: Character?) -> Bool {
    letter.map { $0.isASCII && $0.isLetter || $0 == "_" } == true
  }

  /// The error for `$NAME`, which a shell would have replaced.
  private static func variable(_ rest: ArraySlice<Character>) -> WrongUse {
    let name = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" })
    return WrongUse(
      "--from-curl: write ${\(name)} for the variable $\(name), which the pipeline reads then, too")
  }

  private static func quote(
    _ rest: inout ArraySlice<Character>, _ end: Character, isANSI: Bool
  ) throws(WrongUse) -> String {
    var text = ""
    while let letter = rest.popFirst() {
      if letter == end { return text }
      if letter == "$", end == "\"", Self.isName(rest.first) { throw Self.variable(rest) }
      guard letter == "\\", isANSI || end == "\"", let next = rest.popFirst() else {
        text.append(letter)
        continue
      }
      switch next {
      case "n" where isANSI: text.append("\n")
      case "t" where isANSI: text.append("\t")
      case "u" where isANSI:
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        text.unicodeScalars.append(
          UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{fffd}")
      case "\\", "\"", "'", "$", "`", "!": text.append(next)
      case _ where next.isNewline: break
      default: text += "\\\(next)"
      }
    }
    throw WrongUse(
      "--from-curl: a quote is not closed; put the whole command in quotes, as in --from-curl 'curl …'")
  }
}
