import JSON
import Testing

@testable import Page

/// A page with one view, and requests to it without a socket.
struct PageFixture {
  let hub = PageHub(now: { 1_767_225_600 })
  let view: PageView

  init(
    _ layout: PageForm.Layout = .list, perPage: Int = 20, units: PageForm.Units? = nil, spark: String? = nil,
    hasPicture: Bool = false
  ) {
    var form = PageForm(layout: layout, name: "Things", perPage: perPage, units: units, spark: spark)
    form.hasPicture = hasPicture
    view = hub.add(pipeline: "p", sink: "s", form, stateID: "a")
  }

  static func row(_ key: String, _ content: String, commit: Int = 1) throws -> PageRow {
    PageRow(key: .string(key), commit: commit, changedAt: 1_767_225_600, content: try Value.parse(content))
  }

  func show(_ commit: Int, _ rows: PageRow...) { view.publish(rows.map { .set($0) }, commit: commit) }

  func router(
    at address: PageAddress = .standard, token: String? = nil, names: Set<String> = [],
    hasPictures: Bool = false
  ) -> PageRouter {
    PageRouter(hub, PageGuard(address, token: token, names: names, hasPictures: hasPictures))
  }

  func get(
    _ path: String, _ query: [(String, String)] = [], headers: [String: String] = [:],
    hasPictures: Bool = false
  ) -> (status: Int, text: String) {
    let headers = ["host": "127.0.0.1:8787"].merging(headers) { $1 }
    let request = PageRequest(path: path, query: query.map { (name: $0.0, value: $0.1) }, headers: headers)
    let answer = router(hasPictures: hasPictures).answer(request)
    return (answer.status, answer.text)
  }

  /// The events that a tab gets that has seen a commit.
  func updates(since: String, _ query: [(String, String)] = [], row: String? = nil) -> PageUpdates {
    PageUpdates(
      view, PageQuery(query.map { (name: $0.0, value: $0.1) }), row: row, since: since,
      PageDocuments(hub, hasPictures: false))
  }
}

extension PageAnswer {
  var text: String {
    switch body {
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .parts(let parts): parts.whole.string
    case .stream: ""
    }
  }

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
