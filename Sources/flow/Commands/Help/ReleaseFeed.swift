import AllNodes
import Decode
import Fetch
import JSON
import Language
import System

/// The feed of releases that `releases` in config.yaml names: Atom, RSS or a JSON feed.
struct ReleaseFeed {
  /// A release, as a feed has it.
  struct Release: CustomStringConvertible {
    let version: ReleaseVersion
    let day: String?
    let link: String?

    var description: String {
      "\(version)" + (day.map { ", of \($0)" } ?? "") + (link.map { ": \(printable($0))" } ?? "")
    }
  }

  private let address: Address
  private let secrets: Secrets

  init(_ arguments: Arguments) throws(WrongUse) {
    let config = ConfigFile(
      beside: "./pipeline.yaml", named: arguments.text(PipelineFiles.config),
      PlaceholderValues(isForRun: true))
    if let complaint = config.complaint { throw WrongUse(complaint) }
    if let problem = config.problems.sorted.first { throw WrongUse("\(problem)") }
    guard let setting = config.value.member("releases") else {
      throw WrongUse(
        "no feed of releases is configured; name one in config.yaml, as in "
          + "releases: https://example.org/flow/releases.atom")
    }
    secrets = config.secrets
    guard let text = setting.string else {
      throw WrongUse("releases in config.yaml must be the address of a feed, not \(setting.kind)")
    }
    do throws(Sentence) { address = try Address(text) } catch {
      throw WrongUse("releases in config.yaml: \(config.secrets.masked("\(error)"))")
    }
  }

  func masked(_ text: String) -> String { secrets.masked(text) }

  /// The releases in the feed that are newer than a version, the newest first, each once.
  func releases(after version: String) throws -> [Release] {
    guard let current = ReleaseVersion(in: version) else { return [] }
    var request = Request(address)
    request.expectation = .anything
    request.isTriedOnce = true
    request.limits.whole = .seconds(60)
    let response = try Client.ofCommand("version", hiding: Array(secrets.all)).fetch(request)
    let decoding = try Decoding.option.value(of: "feed", from: "decode", in: Catalog.all)
    let all = try decoding.checkedValues(of: response).compactMap(Self.release)
    guard !all.isEmpty else {
      throw Sentence("\(address): no entry of this feed names a version, as in 0.2.0")
    }
    var seen: Set<ReleaseVersion> = []
    return all.filter { $0.version > current && seen.insert($0.version).inserted }
      .sorted { $0.version > $1.version }
  }

  /// The release of an entry: its version is in the title, the link or the id.
  private static func release(_ entry: Value) -> Release? {
    let texts = ["title", "link", "id"].compactMap { entry.member($0)?.string }
    guard let version = texts.lazy.compactMap(ReleaseVersion.init(in:)).first else { return nil }
    let day = ["published", "updated"].lazy.compactMap { entry.member($0)?.string }.first
    return Release(
      version: version, day: day.map { String($0.prefix(10)) }, link: entry.member("link")?.string)
  }
}
