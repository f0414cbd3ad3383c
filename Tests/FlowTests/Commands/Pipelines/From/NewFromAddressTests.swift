import Expectations
import Foundation
import Loopback
import Reactive
import Store
import TestSupport
import Testing

@testable import flow

/// `flow new --from`: what is written for an address or a file passes `flow check`, and reports what changes there.
@Suite struct NewFromAddressTests {
  /// A service as newcomers meet them; its later answers differ in what one sees between the two polls of a run.
  private static func answer(_ request: LoopbackServer.Received, later: Bool) -> LoopbackServer.Step {
    let end = later ? 9 : 1
    func page(_ text: String) -> LoopbackServer.Step { .reply(text, ["Content-Type: text/html"]) }
    switch request.target.split(separator: "?").first.map(String.init) ?? "" {
    case "/list.json": return .reply(#"[{"id":1,"name":"a","n":\#(end)},{"id":2,"name":"b","n":1}]"#)
    case "/items.json": return .reply(#"{"items":[{"id":1,"n":\#(end)},{"id":2,"n":1}],"next":null}"#)
    case "/rates.json": return .reply(#"{"EUR":{"mid":\#(end)},"USD":{"mid":1}}"#)
    case "/lines":
      return .reply("{\"id\":1,\"n\":\(end)}\n{\"id\":2,\"n\":1}\n", ["Content-Type: application/x-ndjson"])
    case "/latin.csv":
      let text = "id;name;n\n1;M\u{fc}ller;\(end)\n2;b;1\n"
      return .reply(bytes: text.unicodeScalars.map { UInt8($0.value) }, ["Content-Type: text/csv"])
    case "/named.tsv": return .reply("id\tn\n1\t\(end)\n2\t1\n", ["Content-Type: text/tab-separated-values"])
    case "/feed":
      let more = later ? "<item><guid>c</guid><title>New</title><link>/c</link></item>" : ""
      return .reply(
        "<rss version='2.0'><channel>\(more)<item><guid>a</guid><title>A</title><link>/a</link></item></channel></rss>",
        ["Content-Type: application/rss+xml"])
    case "/map.xml":
      return .reply(
        "<urlset><url><loc>a</loc><n>\(end)</n></url><url><loc>b</loc><n>1</n></url></urlset>",
        ["Content-Type: text/xml"])
    case "/table":
      return page(
        "<!doctype html><table><tr><th>Other</table><table><thead><tr><th>Item<th>Unit price</thead>"
          + "<tr><td>A<td>\(end)<tr><td>B<td>1</table>")
    case "/page": return page("<!doctype html><nav>Home</nav><main><h1>Terms</h1><p>One<p>\(end)</main>")
    case "/robots.txt": return .reply("User-agent: *\nDisallow: /\(end), /x\n", ["Content-Type: text/plain"])
    case "/private"
    where request.headers["authorization"] == "Bearer s3cret" || request.headers["cookie"] == "k=v":
      return .reply(#"[{"id":1,"n":\#(end)},{"id":2,"n":1}]"#)
    case "/private": return .reply(#"{"detail":"no token"}"#, status: "401 Unauthorized")
    case "/query" where request.method == "POST":
      return .reply(
        String(decoding: request.body, as: UTF8.self) == #"{"open":true}"#
          ? "[{\"id\":1,\"n\":\(end)}]" : "[]")
    case "/scripts": return page("<!doctype html><script src=a.js></script><div id=root></div>")
    case "/login":
      return page("<!doctype html><title>Sign in · Acme</title><form><input type=password></form>")
    case "/gateway": return page("<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>")
    case "/half": return .reply(#"{"items":["#)
    case "/nothing": return .reply("")
    default: return .reply("", status: "404 Not Found")
    }
  }

  /// A service whose answers change when a file is there.
  private static func serve(_ body: (Workplace, String) throws -> Void) throws {
    let place = try Workplace()
    let mark = place["later"]
    let server = try LoopbackServer { [answer($0, later: FileManager.default.fileExists(atPath: mark))] }
    try server.serving { try body(place, server.url) }
  }

  /// Runs what was written twice, before and after the change, and returns what the second run printed.
  private static func changes(_ place: Workplace, _ environment: [String: String] = [:]) throws -> String {
    try expect(
      place.flow(["check", "p.yaml"], environment: environment).output, equals: "1 pipeline, no errors\n")
    let first = try place.flow(["run", "--once", "--state=s", "p.yaml"], environment: environment)
    #expect(first.status == 0 && first.output.isEmpty, "\(first)")
    try place.write("later", "")
    let second = try place.flow(
      ["run", "--once", "--state=s", "--refresh", "p.yaml"], environment: environment)
    expect(second.status, equals: 0, "\(second)")
    return second.output
  }

  @Test(
    "the pipeline for an address runs as it is, and reports the change",
    arguments: [
      ("list.json", "http: '", "changed a n 1 → 9\n"),
      ("items.json", "rows: .items[]\n      next: .next\n", "changed 1 n 1 → 9\n"),
      ("rates.json", "rows: to_entries[] | { key } + .value\n", "changed EUR mid 1 → 9\n"),
      ("lines", "decode: lines\n", "changed 1 n 1 → 9\n"),
      (
        "latin.csv", "decode: { csv: { delimiter: ';', charset: windows-1252 } }\n",
        "changed Müller n 1 → 9\n"
      ),
      ("named.tsv", "decode: tsv\n", "changed 1 n 1 → 9\n"), ("feed", "decode: feed\n", "New: http"),
      ("map.xml", "decode: { xml: { select: url } }\n", "changed a n 1 → 9\n"),
      (
        "table",
        "select: 'table:has(th:contains(\"Item\")) tr:has(td)', fields: { item: 'td:nth-child(1)', unit_price: 'td:nth-child(2)' }",
        "changed A unit_price 1 → 9\n"
      ),
      (
        "page", "decode: { html: { fields: { text: main@text } } }\n",
        "@@ -1,3 +1,3 @@\n Terms\n One\n-1\n+9\n"
      ),
      (
        "robots.txt", "decode: { text: { whole: true } }\n",
        "@@ -1,2 +1,2 @@\n User-agent: *\n-Disallow: /1, /x\n+Disallow: /9, /x\n"
      ),
    ])
  func runs(_ path: String, _ text: String, _ change: String) throws {
    try Self.serve { place, url in
      let made = try place.flow("new", "--from", "\(url)/\(path)", "--once", "-o", "p.yaml")
      expect(made.status, equals: 0, "\(made)")
      #expect(
        made.errors.hasPrefix("\(url)/\(path): ") && made.errors.contains("next: flow run p.yaml"), "\(made)")
      let written = place.text("p.yaml")
      #expect(written.contains(text) && written.split(separator: "\n").count < 16, "\(written)")
      let printed = try Self.changes(place)
      #expect(printed.hasPrefix(change), "\(printed)")
    }
  }

  @Test("two requests show what always changes; the second that fails leaves it unknown")
  func twice() throws {
    let failures = Locked(0)
    let server = try LoopbackServer { request in
      if request.target == "/fails",
        failures.withLock({
          $0 += 1; return $0 > 1
        })
      {
        return [.reply("", status: "500 Internal Server Error")]
      }
      return [
        .reply(
          #"[{"id":1,"at":\#(Date().timeIntervalSince1970),"n":1}]"#,
          ["Content-Type: application/json", "Link: </list?page=2>; rel=\"next\""])
      ]
    }
    try server.serving {
      let place = try Workplace()
      let made = try place.flow("new", "--from", "\(server.url)/list")
      #expect(made.output.contains("- changes: { key: .id, ignore: [.at] }\n"), "\(made)")
      #expect(
        made.errors.contains("  next page in the header Link")
          && made.errors.hasSuffix("next: -o FILE to keep it, then flow run FILE\n"))
      #expect(made.errors.contains("  two polls changed in 3s: .at in 1 of 1; ignored: .at\n"), "\(made)")
      let failed = try place.flow("new", "--from", "\(server.url)/fails")
      #expect(failed.status == 0 && failed.errors.contains("two polls the second one failed"), "\(failed)")
    }
  }

  @Test(
    "a token, cookie or password is a variable of the environment in the file",
    arguments: [
      (["--bearer", "TOKEN"], "bearer: '${TOKEN}'\n", "TOKEN", "s3cret"),
      (["--header", "Authorization: Bearer s3cret"], "bearer: '${P_TOKEN}'\n", "P_TOKEN", "s3cret"),
      (
        ["--header", "Authorization: Bearer ${TOKEN}"], "headers: { Authorization: 'Bearer ${TOKEN}' }\n",
        "TOKEN", "s3cret"
      ),
      (
        ["--header", "Cookie: k=v", "--header", "X-Page: 1"],
        "headers: { Cookie: '${P_COOKIE}', X-Page: '1' }\n", "P_COOKIE", "k=v"
      ),
    ])
  func secrets(_ options: [String], _ text: String, _ variable: String, _ value: String) throws {
    try Self.serve { place, url in
      let made = try place.flow(
        ["new", "--from", "\(url)/private", "--once", "-o", "p.yaml"] + options,
        environment: ["TOKEN": "s3cret"])
      let written = place.text("p.yaml")
      #expect(made.status == 0 && written.contains(text), "\(made) \(written)")
      #expect(!written.contains(value) && !made.errors.contains(value))
      #expect(
        variable == "TOKEN" || made.errors.contains("\(variable) has to be set for flow run"), "\(made)")
      try expect(Self.changes(place, [variable: value]), equals: "changed 1 n 1 → 9\n")
    }
  }

  @Test("without a token, 401 says which option has it; other failures are shown as they are")
  func refused() throws {
    try Self.serve { place, url in
      let refused = try place.flow("new", "--from", "\(url)/private")
      #expect(
        refused.status == 1 && refused.errors.contains("401 Unauthorized: no token\n  hint: "), "\(refused)")
      #expect(refused.errors.contains("--bearer NAME") && refused.errors.contains("--from-curl"))
      let wrong = try place.flow(
        ["new", "--from", "\(url)/private", "--bearer", "T"], environment: ["T": "x"])
      #expect(wrong.status == 1 && !wrong.errors.contains("hint"), "\(wrong)")
      #expect(try place.flow("new", "--from", "\(url)/none").errors.contains("answered 404 Not Found"))
      #expect(try place.flow("new", "--from", "http://127.0.0.1:1/x").errors.contains("cannot connect"))
      for (path, reason) in [
        ("scripts", "scripts fill it in"), ("half", "JSON: Unfinished"), ("nothing", "nothing in it"),
      ] {
        let unread = try place.flow("new", "--from", "\(url)/\(path)")
        #expect(
          unread.status == 1 && unread.errors.contains("cannot be read: ") && unread.errors.contains(reason),
          "\(unread)")
      }
      for (path, reason) in [
        ("login", "it is a page to sign in, titled"), ("gateway", "it is a page about an error"),
      ] {
        let page = try place.flow("new", "--from", "\(url)/\(path)", "-o", "p.yaml")
        #expect(page.status == 1 && page.errors.contains(reason) && !place.has("p.yaml"), "\(page)")
      }
      let unset = try place.flow("new", "--from", "\(url)/private", "--bearer", "T")
      #expect(unset.status == 2 && unset.errors.contains("the variable T is not set"), "\(unset)")
      let pasted = try place.flow("new", "--from", "\(url)/private", "--bearer", "abc.def")
      #expect(pasted.status == 2 && !pasted.errors.contains("abc.def"), "\(pasted)")
      let bare = try place.flow("new", "--from", "example.org/items")
      #expect(bare.status == 2 && bare.errors.contains("an address begins with https://"), "\(bare)")
    }
  }

  @Test("a command line of curl gives the request, in the form that browsers copy it in")
  func curl() throws {
    try Self.serve { place, url in
      let command = """
        curl '\(url)/query' \\
          -H 'Accept-Encoding: gzip' -H $'X-Name: it\\'s \\u0041' -X POST --compressed -sSL \\
          --data-raw '{"open":true}'
        """
      let made = try place.flow("new", "--from-curl", command, "--once", "-o", "p.yaml")
      #expect(made.status == 0 && made.errors.contains("left out  Accept-Encoding"), "\(made)")
      let text = place.text("p.yaml")
      #expect(
        text.contains("method: post\n      headers: { X-Name: 'it''s A' }\n      body: {\"open\":true}\n"),
        "\(text)")
      try expect(Self.changes(place), equals: "changed 1 n 1 → 9\n")
    }
  }

  @Test(
    "secrets of a request are variables in the file, wherever they stand, and are shown nowhere",
    arguments: [
      ["--from", "URL/list.json?private_token=s3cret-1&subscription-key=s3cret-2&page=1"],
      ["--from", "URL/list.json", "--header", "X-Session: s3cret-1"],
      ["--from", "URL/list.json", "--header", "X-Access: Bearer s3cret-1"],
      ["--from-curl", #"curl URL/list.json -b 'sid=s3cret-1' -b 'b=s3cret-2'"#],
      ["--from-curl", #"curl URL/query -d '{"api_key":"s3cret-1","user":{"password":"s3cret-2"},"n":1}'"#],
    ])
  func secrets(_ arguments: [String]) throws {
    try Self.serve { place, url in
      let made = try place.flow(
        ["new", "--once", "-o", "p.yaml"] + arguments.map { $0.replacingOccurrences(of: "URL", with: url) })
      #expect(made.status == 0 && made.errors.contains(" has to be set for flow run"), "\(made)")
      #expect(!place.text("p.yaml").contains("s3cret") && !made.errors.contains("s3cret"), "\(made)")
      let checked = try place.flow(
        ["check", "p.yaml"],
        environment: Dictionary(
          uniqueKeysWithValues: place.text("p.yaml").components(separatedBy: "${").dropFirst().map {
            (String($0.prefix { $0 != "}" }), "s3cret")
          }))
      expect(checked.status, equals: 0, "\(checked), \(place.text("p.yaml"))")
    }
  }

  @Test(
    "texts that a pipeline would read as expressions or variables are refused, and a header that comes twice",
    arguments: [
      (["--from-curl", #"curl URL/query -d '{"q":"\\(.x)"}'"#], "contains \\(, which begins an expression"),
      (["--from-curl", #"curl URL/query -d '{"q":"${HOME}"}'"#], "contains ${, which begins a variable"),
      (["--from", "URL/query", "--header", "A: 1", "--header", "a: 2"], "the header a is given twice"),
    ])
  func refused(_ arguments: [String], _ message: String) throws {
    try Self.serve { place, url in
      let made = try place.flow(
        ["new", "-o", "p.yaml"] + arguments.map { $0.replacingOccurrences(of: "URL", with: url) })
      #expect(made.status == 2 && made.errors.contains(message) && !place.has("p.yaml"), "\(made)")
    }
  }

  @Test("a file with a next page, an empty list and a table in UTF-16 give pipelines that are right")
  func odd() throws {
    let place = try Workplace()
    try place.write("d.json", #"{"next":null,"items":[{"id":1},{"id":2}]}"#)
    try place.write("e.json", "[]")
    try place.write(
      "u.csv", Data([0xff, 0xfe] + "id,n\n1,é\n2,b\n".utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }))
    for (name, line) in [("d.json", "key: .id"), ("e.json", "key: tojson"), ("u.csv", "key: .id")] {
      let made = try place.flow("new", "--from", name, "-o", "\(name).yaml")
      #expect(made.status == 0 && place.text("\(name).yaml").contains(line), "\(made)")
      #expect(!made.errors.contains("next page"))
      try expect(place.flow("check", "\(name).yaml").status, equals: 0)
    }
    #expect(try place.flow("new", "--from", "e.json").errors.contains("there are no rows yet"))
  }

  @Test(
    "what a file contains is polled by cat",
    arguments: [
      ("prices.csv", "id,n\n1,1\n2,1\n", "id,n\n1,9\n2,1\n"),
      (
        "list.json", #"{"items":[{"id":1,"n":1},{"id":2,"n":1}]}"#,
        #"{"items":[{"id":1,"n":9},{"id":2,"n":1}]}"#
      ),
    ])
  func file(_ name: String, _ before: String, _ after: String) throws {
    let place = try Workplace()
    try place.write(name, before)
    let made = try place.flow("new", "--from", name, "-o", "p.yaml")
    #expect(made.status == 0 && place.text("p.yaml").contains("command: [cat, '\(name)']\n"), "\(made)")
    _ = try place.flow("run", "--once", "--state=s", "p.yaml")
    try place.write(name, after)
    try expect(place.flow("run", "--once", "--state=s", "p.yaml").output, equals: "changed 1 n 1 → 9\n")
  }
  @Test("the pipeline for a table of a database reports the change by its primary key")
  func database() throws {
    let place = try Workplace()
    let shop = try Database(foreign: place["shop.db"], to: .make, busyMilliseconds: 1000)
    try shop.execute(
      """
      create table other (a); create table "order" (shop, n integer, no text, primary key (shop, no));
      insert into "order" values ('x', 1, 'a'), ('y', 1, 'b')
      """)
    let made = try place.flow("new", "order", "--from", "sqlite:shop.db", "-o", "p.yaml")
    expect(made.status, equals: 0, "\(made)")
    let text = place.text("p.yaml")
    #expect(text.contains(#"query: 'select * from "order"'"#) && text.contains("'[.shop, .no]'"), "\(text)")
    #expect(made.errors.contains("others    other") && made.errors.contains("the primary key"), "\(made)")
    _ = try place.flow("run", "--once", "--state=s", "p.yaml")
    try shop.execute("update \"order\" set n = 9 where no = 'b'")
    let seen = try place.flow("run", "--once", "--state=s", "p.yaml")
    expect(seen.output, equals: "changed [\"y\",\"b\"] n 1 → 9\n", "\(seen)")
    let first = try place.flow("new", "--from", "sqlite:shop.db")
    #expect(first.output.contains("select * from \"other\""), "\(first)")
    let missing = try place.flow("new", "--from", "sqlite:nowhere.db")
    #expect(
      missing.status == 1 && missing.errors.contains("nowhere.db: cannot open the database"), "\(missing)")
  }
}

/// `flow new --from` for a PostgreSQL server.
@Suite(.enabled(if: PostgreSQLServer.isWanted, .init(rawValue: PostgreSQLServer.missing)))
struct NewFromServerTests {
  @Test("the pipeline for a table of a server reports the change by its primary key, and has no password")
  func server() throws {
    let place = try Workplace()
    let server = try PostgreSQLServer.shared.get()
    let database = try server.makeDatabase()
    try server.sql(
      """
      create table other (a int); create schema s; create table s."order" (shop text, n int, no text, primary key (shop, no));
      insert into s."order" values ('x', 1, 'a'), ('y', 1, 'b')
      """, in: database)
    let address = server.address(database, login: "postgres:hunter2-xyz")
    let made = try place.flow("new", "--from", "\(address)&table=s.order", "-o", "p.yaml")
    expect(made.status, equals: 0, "\(made)")
    let text = place.text("p.yaml")
    #expect(text.contains(#"query: 'select * from s."order"'"#) && text.contains("'[.shop, .no]'"), "\(text)")
    #expect(!text.contains("hunter2") && !made.errors.contains("hunter2"))
    #expect(made.errors.contains("others    other") && made.errors.contains("the primary key"), "\(made)")
    _ = try place.flow("run", "--once", "--state=s", "p.yaml")
    try server.sql("update s.\"order\" set n = 9 where no = 'b'", in: database)
    let seen = try place.flow("run", "--once", "--state=s", "p.yaml")
    expect(seen.output, equals: "changed [\"y\",\"b\"] n 1 → 9\n", "\(seen)")
    let missing = try place.flow("new", "--from", "\(address)&table=nowhere")
    #expect(
      missing.status == 1 && missing.errors.contains("/\(database): there is no table nowhere"), "\(missing)")
  }
}

@Suite struct CurlCommandTests {
  @Test("options that say something are read, joined letters too, and the others left out")
  func options() throws {
    let command = try CurlCommand(
      #"curl -sSLXPOST -uada:pw -H "X-Key:  a \"b\"" -A agent -e https://x.org -b a=b --json='{"n":1}' x.org/a\ b"#
    )
    #expect(command.address == "http://x.org/a b" && command.user == "ada:pw" && command.isPost)
    expect(
      command.headers.map { "\($0.name): \($0.value)" },
      equals: [#"X-Key: a "b""#, "User-Agent: agent", "Referer: https://x.org", "Cookie: a=b"])
    expect(command.body?.description, equals: #"{"n":1}"#)
    let cookies = try CurlCommand("curl x.org -b a=1 -H 'Accept:' -b 'b=2; c=3' -H 'X: $y ${Z}'")
    expect(
      cookies.headers.map { "\($0.name): \($0.value)" }, equals: ["X: $y ${Z}", "Cookie: a=1; b=2; c=3"])
    expect(cookies.omitted, equals: ["Accept:"])
    try expect(CurlCommand("https://x.org -G -d a=1 -d b=2").address, equals: "https://x.org?a=1&b=2")
    try expect(
      CurlCommand("curl -o f -m 3 --url https://x.org/?a=1 -G -d b").address, equals: "https://x.org/?a=1&b")
  }

  @Test(
    "what cannot be taken over is reported",
    arguments: [
      ("curl", "no address"), ("curl a b", "two addresses"),
      ("curl -k https://x.org", "“-k” of curl has no meaning here"),
      ("curl x -d a=1", "is not JSON"), ("curl x -d @f", "reads a file"), ("curl x -X PUT", "not by PUT"),
      ("curl x -X GET --json 1", "a GET request has no body"), ("curl 'x", "a quote is not closed"),
      ("curl x -H", "-H has no value"), ("curl x -H @h.txt", "-H @h.txt reads a file"),
      ("curl x -b cookies.txt", "-b cookies.txt reads a file"),
      (#"curl -H "Authorization: Bearer $TOKEN" x"#, "write ${TOKEN} for the variable $TOKEN"),
      ("curl https://x.org/$ID", "write ${ID} for the variable $ID"),
    ])
  func mistakes(_ text: String, _ message: String) {
    let error = #expect(throws: WrongUse.self) { try CurlCommand(text) }
    expect(error?.message.contains(message), equals: true, "\(String(describing: error))")
  }
}
