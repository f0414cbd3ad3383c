import Fetch
import JSON
import Language

/// The request that `flow new --from URL` sends, and how the pipeline has it: secrets as variables of the environment.
///
///     var request = NewRequest(try Address("https://example.org/items"), for: "items")
///     request.add(Header("Authorization", "Bearer abc"))
///     request.options   // url: 'https://example.org/items', bearer: '${ITEMS_TOKEN}'
struct NewRequest {
  private(set) var request: Request
  /// The variables that the pipeline reads, each with what its value is.
  private(set) var variables: [(name: String, what: String)] = []

  /// What of a command line of curl is left out.
  private(set) var omitted: [String] = []

  private let prefix: String
  private var url: String
  private var authorization: (name: String, yaml: String)?
  private var headers: [(name: String, yaml: String)] = []
  private var body: Value?

  /// - Parameter text: The address; `${NAME}` in it is a variable of the environment, here as in the pipeline.
  init(_ text: String, for pipeline: String) throws(WrongUse) {
    let address: Address
    let expanded = try Self.expanded(text)
    do throws(AddressError) { address = try Address(expanded) } catch { throw WrongUse("\(error)") }
    request = Request(address)
    prefix = Self.variable(pipeline)
    url = text
    for item in address.query where item.isSecret {
      guard let value = item.value, !value.isEmpty, url.has("\(item.name)=\(value)") else { continue }
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
    if curl.isPost { setBody(curl.body) }
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
    let value = try Self.expanded(header.value)
    request.headers.append(Header(header.name, value, isSecret: value != header.value))
    let name = header.name.lowercased()
    if name == "authorization", header.value.lowercased().hasPrefix("bearer "), value == header.value {
      authorization = ("bearer", "'\(placeholder("TOKEN", "the token"))'")
    } else if header.isSecret, value == header.value {
      headers.append((header.name, "'\(placeholder(header.name, "the header \(header.name)"))'"))
    } else {
      headers.append((header.name, FlowYAML.quoted(header.value)))
    }
  }

  mutating func setBody(_ value: Value?) {
    request.method = .post
    request.isRepeatable = true
    guard let value else { return }
    body = value
    request.body = value.json
    request.headers.append(Header("Content-Type", "application/json"))
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
    if let body { options.append(("body", body.description)) }
    return options
  }

  /// Whether it has a token, a password or the like.
  var isAuthorized: Bool { authorization != nil || !variables.isEmpty }
}
