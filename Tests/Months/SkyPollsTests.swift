import Expectations
import AllNodes
@testable import Delivery
import JSON
import Reactive
import Store
import Testing

@testable import Fetch
import System
@testable import Engine
@testable import Language
@testable import Sky

/// The sources as pipelines have them, polling the sky in its own time.
@Suite struct SkyPollsTests {
  /// A source of a pipeline over a sky without a server.
  private struct Poller {
    let network: SkyNetwork
    let source: any PollSource

    init(_ source: String, _ sky: Sky) throws {
      let network = SkyNetwork(sky)
      self.network = network
      var reader = PipelineReader(catalog: .all)
      reader.read(
        path: "p.yaml", Array("sources: { in: { \(source) } }\nsteps: []\nsinks: { it: null }\n".utf8))
      let plan = try #require(reader.plans.first?.sources.first, "\(reader.problems)")
      var world = World.real
      world[WebAccess.self] = WebAccess {
        Client(
          network, file: try WebFile(), on: SerialScheduler(name: "fetch"), wallClock: World.real.wallClock,
          .init(retry: RetryPolicy(backoff: Backoff(initial: .milliseconds(1), attempts: 2))))
      }
      let context = SourceContext(
        name: "in", world: world, log: NodeLog(log: Log { _ in }, pipeline: "p", node: "in"),
        meter: Meter(name: "in", kind: plan.spec.kind), isOnce: true, stop: StopSign(), position: nil,
        storesPositions: false)
      guard case .poll(let make) = plan.spec.maker as? Maker else { throw Unpolled() }
      self.source = try make(plan.options, context)
    }

    struct Unpolled: Error {}

    func answer(at now: SkyTime) throws -> PollAnswer {
      network.stop(at: now)
      let poll = PollRequest(source: "in", number: 1, at: Double(now.seconds))
      let scheduler = SerialScheduler(name: "poll")
      let answer = ConditionLock<Result<PollAnswer, any Error>?>(nil)
      let source = LaneLocal<any PollSource>(source)
      scheduler.perform {
        source.value.ask(poll, on: scheduler) { result in answer.change { $0 = result } }
      }
      return try #require(answer.wait { $0 }).get()
    }

    func poll(at now: SkyTime) throws -> [Value] { try answer(at: now).rows }
  }

  @Test(
    "launch_library reads the living list whole in each mode, and sees it change",
    arguments: ["list", "normal"])
  func launches(_ mode: String) throws {
    let world = LaunchWorld(seed: 5, upcoming: 120)
    let sky = Sky(seed: 5, faults: .none, services: [.launchLibrary(world)])
    let poller = try Poller(
      "launch_library: { mode: \(mode), limit: 1000, cache: 0s, url: 'http://sky' }", sky)
    var seen: Set<String> = []
    for day in [0.0, 1] {
      let now = LaunchWorld.start + day * 86400
      let rows = try poller.poll(at: now)
      expect(Set(rows.compactMap { $0.member("id")?.string }), equals: Set(world.upcoming(at: now).map(\.id)))
      seen.insert(rows.description)
    }
    expect(seen.count, equals: 2)
  }

  @Test(
    "launch_library reads each recorded version and mode whole, with the details of each launch",
    arguments: ["2.0.0", "2.2.0"], ["list", "normal", "detailed"])
  func recorded(_ version: String, _ mode: String) throws {
    let poller = try Poller(
      "launch_library: { version: \(version), mode: \(mode), list: all, detail: true, cache: 0s, url: 'http://sky' }",
      Sky(seed: 5, upcoming: 5))
    let answer = try poller.answer(at: LaunchWorld.start)
    expect(answer.coverage, equals: .complete)
    let ids = RecordedLaunch.all[version]?.map(\.id) ?? []
    #expect(!ids.isEmpty && Set(answer.rows.compactMap { $0.member("id")?.string }) == Set(ids))
    #expect(answer.rows.allSatisfy { $0.member("vidURLs")?.items != nil })
  }

  @Test("launch_library reads each launch once, though those of one date come in random order")
  func ties() throws {
    let world = LaunchWorld(seed: 5, upcoming: 230)
    let sky = Sky(seed: 5, services: [.launchLibrary(world)])
    let poller = try Poller("launch_library: { limit: 1000, cache: 0s, url: 'http://sky' }", sky)
    for day in [0.0, 1, 2] {
      let now = LaunchWorld.start + day * 86400
      let ids = try poller.poll(at: now).compactMap { $0.member("id")?.string }
      expect(Set(ids), equals: Set(world.upcoming(at: now).map(\.id)))
      expect(Set(ids).count, equals: ids.count)
    }
  }

  @Test("a launch asked for by itself has its videos")
  func detail() throws {
    let poller = try Poller(
      "launch_library: { detail: true, limit: 5, cache: 0s, url: 'http://sky' }", Sky(seed: 5, upcoming: 30))
    let rows = try poller.poll(at: LaunchWorld.start + 20 * 86400)
    expect(rows.count, equals: 5)
    #expect(rows.allSatisfy { $0.member("vid_urls")?.items != nil })
  }

  @Test("rows that move between all pages lose no more than one launch, give none twice, and are partial")
  func shifting() throws {
    let world = LaunchWorld(seed: 5, upcoming: 220)
    let sky = Sky(seed: 5, faults: try SkyFaults("none,shift=1"), services: [.launchLibrary(world)])
    let poller = try Poller("launch_library: { limit: 1000, cache: 0s, url: 'http://sky' }", sky)
    let all = world.upcoming(at: LaunchWorld.start).count
    let answer = try poller.answer(at: LaunchWorld.start)
    let ids = answer.rows.compactMap { $0.member("id")?.string }
    expect(Set(ids).count, equals: ids.count)
    #expect((all - 2...all).contains(ids.count))
    expect(answer.coverage, equals: .partial)
  }
}
