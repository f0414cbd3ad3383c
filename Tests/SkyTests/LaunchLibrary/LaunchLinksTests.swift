import JSON
import Testing

@testable import Sky

/// What stands behind the links of launches.
@Suite struct LaunchLinksTests {
  private let sky = Sky(seed: 1, upcoming: 60)
  private let now = LaunchWorldTests.time(40)

  private func get(_ address: String) -> SkyAnswer {
    sky.answer(.get(address, headers: [(name: "Authorization", value: "Token \(address)")]), at: now)
  }

  /// All texts in a value that are addresses of the sky.
  private func links(_ value: Value) -> Set<String> {
    var found: Set<String> = []
    var waiting = [value]
    while let next = waiting.popLast() {
      if let text = next.string, text.hasPrefix("http://sky/") {
        found.insert(String(text.dropFirst("http://sky".count)))
      }
      waiting += next.items ?? []
      next.forEachMember { _, member in waiting.append(member) }
    }
    return found
  }

  private func follow(_ first: [String]) throws -> Set<String> {
    var waiting = first
    var seen = Set(first)
    while let address = waiting.popLast() {
      let answer = get(address)
      #expect(answer.status == 200, "\(address)")
      guard
        answer.headers.contains(where: { $0.name == "Content-Type" && $0.value.hasPrefix("application/json") }
        )
      else { continue }
      for link in links(try answer.value()).subtracting(seen) {
        seen.insert(link)
        // Pages of all launches lead to the same kinds of things.
        if link.contains("offset=") { continue }
        waiting.append(link)
      }
    }
    return seen
  }

  @Test(
    "every link that the sky hands out leads somewhere, and so do the links found there",
    arguments: ["2.3.0/launches", "2.2.0/launch", "2.0.0/launch"])
  func all(_ path: String) throws {
    #expect(try follow(["/\(path)/upcoming/?limit=3&mode=detailed"]).count > 5)
  }

  @Test("so do those of the other services")
  func others() throws {
    for path in [
      "/v4/rockets", "/v5/launches/latest",
      "/planetary/apod?api_key=k&start_date=2026-01-20&thumbs=true",
    ] {
      #expect(try follow([path]).count > 1, "\(path)")
    }
  }
}
