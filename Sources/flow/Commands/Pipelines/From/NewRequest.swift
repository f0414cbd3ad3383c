import Fetch
import JSON
import Language
import System

/// The request that `flow new --from URL` sends, and how the pipeline has it: secrets as variables of the environment.
///
///     var request = NewRequest(try Address("https://example.org/items"), for: "items")
///     request.add(Header("Authorization", "Bearer abc"))
///     request.options   // url: 'https://example.org/items', bearer: '${ITEMS_TOKEN}'
struct NewRequest: Sendable {
  private(set) var request: Request
  /// The variables that the pipeline reads, each with what its value is.
  private(set) var variables: [(name: String, what: String)] = []

  /// The options of a command line of curl that are left out.
  private(set) var omitted: [String] = []

  /// The folder that keeps the logins of a browser.
  var profile: String?

  private let prefix: String
  private var url: String
  private var authorization: (name: String, yaml: String)?
  private var headers: [(name: String, yaml: String)] = []
  private var body: String?

  /// - Parameter text: The address; `${NAME}` in it is a variable of the environment, here as in the pipeline.
  init(_ text: String, for pipeline: String) throws(WrongUse) {
    let address: Address
    let expanded = try Self.expanded(text)
    do throws(Sentence) { address = try Address(expanded) } catch { throw WrongUse("\(error)") }
    request = Request(address)
    prefix = Self.variable(pipeline)
    url = text
    try Self.checkTemplate(text, "the address")
    for item in address.query {
      guard let value = item.value, !value.isEmpty, item.isSecret || Self.isSecret(item.name, value) else {
        continue
      }
      request.address = request.address.hiding(item)
      guard url.has("\(item.name)=\(value)") else { continue }
      let place = placeholder(item.name, "the \(item.name) of the address")
      url = url.replacing("\(item.name)=\(value)", by: "\(item.name)=\(place)")
    }
  }

  /// The name and value of `Name: value`; nil for another text.
  static func header(_ text: String) -> Header? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let value = text[text.index(after: colon)...].drop { $0 == " " }
    return value.isEmpty || colon == text.startIndex ? nil : Header(String(text[..<colon]), String(value))
  }

  /// Whether what has this name, or is such a value, should not stand in a file.
  private static func isSecret(_ name: String, _ value: String) -> Bool {
    let name = name.lowercased()
    return Header(name, "").isSecret || ["session", "auth", "pwd", "passwd"].contains(where: name.has)
      || ["bearer ", "basic ", "token "].contains { value.lowercased().hasPrefix($0) }
  }

  /// Throws for a text that would be an expression in the pipeline.
  private static func checkTemplate(_ text: String, _ what: String) throws(WrongUse) {
    if text.has("\\(") {
      throw WrongUse(
        "\(what) contains \\(, which begins an expression in a pipeline; write it there yourself")
    }
  }

  /// A text as a part of the name of a variable: letters, digits and underscores.
  private static func variable(_ text: String) -> String {
    let letters = text.uppercased().utf8.map { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) ? byte : UInt8(ascii: "_")
    }
    return (letters.first.map { $0 > 0x39 } == true ? "" : "FLOW_") + String(decoding: letters, as: UTF8.self)
  }

  /// A text with the values of its `${NAME}`.
  private static func expanded(_ text: String) throws(WrongUse) -> String {
    guard text.has("${") else { return text }
    let file = SourceFile(path: "flow new", text: FlowYAML.quoted(text))
    let document = YAMLDocument(file) { Terminal.environment($0) }
    if let problem = document.problems.sorted.first { throw WrongUse(problem.message) }
    return document.root?.scalar?.text ?? text
  }

  /// The name of a new variable, as a placeholder.
  private mutating func placeholder(_ name: String, _ what: String) -> String {
    let name = Self.variable("\(prefix)_\(name)")
    variables.append((name, what))
    return "${\(name)}"
  }

  /// A token in a variable of the environment that is set already.
  mutating func setBearer(variable name: String) throws(WrongUse) {
    guard isVariable(name) else {
      throw WrongUse(
        "--bearer takes the name of a variable that has the token, as in --bearer TOKEN, not the token itself"
      )
    }
    guard let token = Terminal.environment(name), !token.isEmpty else {
      throw WrongUse("--bearer: the variable \(name) is not set: export \(name)=… first")
    }
    authorization = ("bearer", "'${\(name)}'")
    request.headers.append(Header("Authorization", "Bearer \(token)", isSecret: true))
  }

  /// Whether it is the name of a variable, and no token.
  private func isVariable(_ name: String) -> Bool {
    name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || byte == UInt8(ascii: "_")
    } && name.utf8.first.map { $0 > 0x39 } == true || Terminal.environment(name) != nil
  }

  /// The headers, user and body of a command line of curl.
  mutating func take(_ curl: CurlCommand) throws(WrongUse) {
    if let user = curl.user { setBasic(user) }
    for header in curl.headers { try add(header) }
    if curl.isPost { try setBody(curl.body) }
    omitted = curl.omitted
  }

  /// A user name and a password, with a colon between them.
  mutating func setBasic(_ pair: String) {
    authorization = ("basic", "'\(placeholder("USER_AND_PASSWORD", "the user name and password"))'")
    request.headers.append(
      Header(
        "Authorization", "Basic \(String(decoding: Radix.base64.encode(Array(pair.utf8)), as: UTF8.self))",
        isSecret: true))
  }

  /// A header; `${NAME}` in its value is a variable of the environment, here as in the pipeline.
  mutating func add(_ header: Header) throws(WrongUse) {
    try Self.checkTemplate(header.value, "the header \(header.name)")
    let value = try Self.expanded(header.value)
    let name = header.name.lowercased()
    if request.headers.contains(where: { $0.name.lowercased() == name }) {
      throw WrongUse("the header \(header.name) is given twice")
    }
    let isSecret = header.isSecret || Self.isSecret(header.name, value)
    request.headers.append(Header(header.name, value, isSecret: isSecret || value != header.value))
    if name == "authorization", header.value.lowercased().hasPrefix("bearer "), value == header.value {
      authorization = ("bearer", "'\(placeholder("TOKEN", "the token"))'")
    } else if isSecret, value == header.value {
      headers.append((header.name, "'\(placeholder(header.name, "the header \(header.name)"))'"))
    } else {
      headers.append((header.name, FlowYAML.quoted(header.value)))
    }
  }

  mutating func setBody(_ value: Value?) throws(WrongUse) {
    request.method = .post
    request.isRepeatable = true
    guard let value else { return }
    try Self.checkTemplate(value.description.replacing("\\\\", by: "\\"), "the body")
    if value.description.has("${") {
      throw WrongUse("the body contains ${, which begins a variable in a pipeline; write it there yourself")
    }
    body = written(value).description
    request.body = value.json
    request.headers.append(Header("Content-Type", "application/json"))
  }

  /// A body as the pipeline has it, with variables for secrets.
  private mutating func written(_ value: Value) -> Value {
    if let items = value.items { return .array(items.map { written($0) }) }
    guard value.kind == .object else { return value }
    var copy = value
    for key in value.keys {
      guard let member = value.member(key) else { continue }
      guard let text = member.string, !text.isEmpty, Self.isSecret(key.name, text) else {
        copy.setMember(key, written(member))
        continue
      }
      copy.setMember(key, .string(placeholder(key.name, "\(key.name) of the body")))
    }
    return copy
  }

  /// The options of `http`, without those that follow from the response.
  var options: [(name: String, yaml: String)] {
    var options = [(name: "url", yaml: FlowYAML.quoted(url))]
    if request.method == .post { options.append(("method", "post")) }
    if let authorization { options.append(authorization) }
    if !headers.isEmpty {
      let list = headers.map { "\(FlowYAML.quoted($0.name)): \($0.yaml)" }.joined(separator: ", ")
      options.append(("headers", "{ \(list) }"))
    }
    if let body { options.append(("body", body)) }
    return options
  }

  /// Whether it has a token, a password or the like.
  var isAuthorized: Bool { authorization != nil || !variables.isEmpty }
}
