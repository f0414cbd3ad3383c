// The launches of Launch Library 2's old versions, which are recorded.

import JSON

/// A launch as version 2.0.0 or 2.2.0 answered at the start of the sky's time.
struct RecordedLaunch: ListedLaunch, Sendable {
  /// All launches by version.
  static let all: [String: [RecordedLaunch]] = {
    let data = SkyData.json(PackageResources.launches_json)
    return data.keys.reduce(into: [:]) { all, version in
      all[version.name] = data.member(version)?.items?.map(RecordedLaunch.init)
    }
  }()

  let id, name, providerName: String
  let net, lastUpdated: SkyTime
  let statusNumber, locationNumber: Int
  let names: [String]
  /// Its answer by mode; `detailed` has what it adds to `normal`.
  private let answers: Value

  private init(_ answers: Value) {
    self.answers = answers
    func value(_ names: [String]) -> Value {
      names.reduce(answers.member("normal")) { $0?.member($1) } ?? .null
    }
    func text(_ names: String...) -> String { value(names).string ?? "" }
    func number(_ names: String...) -> Int { Int(value(names).double ?? 0) }
    (id, name, providerName) = (text("id"), text("name"), text("launch_service_provider", "name"))
    net = SkyTime(iso: text("net")) ?? LaunchWorld.start
    lastUpdated = SkyTime(iso: text("last_updated")) ?? LaunchWorld.start
    (statusNumber, locationNumber) = (number("status", "id"), number("pad", "location", "id"))
    names = [
      name, providerName, text("mission", "name"), text("pad", "name"), text("pad", "location", "name"),
      text("rocket", "configuration", "full_name"),
    ]
  }

  /// Whether it was in the list of launches to come, and in that of those before.
  var isUpcoming: Bool { net + 86400 > LaunchWorld.start }
  var isPrevious: Bool { net < LaunchWorld.start }

  /// The launch as JSON; 2.0.0 has no short list.
  func value(_ mode: LaunchMode, origin: String) -> Value {
    var value = answers.member("normal") ?? .null
    switch mode {
    case .list: value = answers.member("list") ?? value
    case .normal: break
    case .detailed: value.merge(answers.member("detailed") ?? .emptyObject)
    }
    return SkyData.linked(value, to: origin)
  }
}
