import Expectations
import Testing

@testable import Sky

@Suite struct WorldNewsTests {
  private static let world = LaunchWorld(seed: 3, upcoming: 80, withdrawn: 0.1, absent: 0.3)
  private static let begin = time(5)
  private static let end = time(65)

  private static func time(_ days: Double) -> SkyTime { LaunchWorld.start + days * 86400 }

  private struct Row: Equatable {
    var net: SkyTime
    var status: LaunchStatus
  }

  private func rows(at now: SkyTime) -> [String: Row] {
    Dictionary(
      uniqueKeysWithValues: Self.world.upcoming(at: now).map { ($0.id, Row(net: $0.net, status: $0.status)) })
  }

  private func apply(_ news: WorldNews, to rows: inout [String: Row]) {
    switch news.kind {
    case .announced(let net, let status):
      expectNil(rows[news.id])
      rows[news.id] = Row(net: net, status: status)
    case .slipped(let from, let to):
      expect(rows[news.id]?.net, equals: from)
      rows[news.id]?.net = to
    case .status(let from, let to):
      expect(rows[news.id]?.status, equals: from)
      rows[news.id]?.status = to
    case .withdrawn, .flown:
      #expect(rows[news.id] != nil)
      rows[news.id] = nil
    }
  }

  @Test("the first list and the news since make the list of any later moment")
  func folding() {
    let news = Self.world.news(after: Self.begin, until: Self.end)
    #expect(news.allSatisfy { $0.at > Self.begin && $0.at <= Self.end })
    var known = rows(at: Self.begin)
    var rest = news[...]
    for number in 0...60 * 3 {
      let now = Self.begin + Double(number * 8 * 3600)
      while let first = rest.first, first.at <= now { apply(rest.removeFirst(), to: &known) }
      expect(known, equals: rows(at: now))
    }
    #expect(rest.isEmpty && news.count > 300)
    func count(_ isIt: (WorldNews.Kind) -> Bool) -> Int { news.count { isIt($0.kind) } }
    #expect(count { if case .announced = $0 { true } else { false } } > 40)
    #expect(count { if case .slipped = $0 { true } else { false } } > 100)
    #expect(count { if case .status = $0 { true } else { false } } > 100)
    #expect(count { $0 == .withdrawn } > 5)
    #expect(count { $0 == .flown } > 30)
  }

  @Test("news of two periods are those of both together")
  func periods() {
    let middle = Self.time(30)
    let parts =
      Self.world.news(after: Self.begin, until: middle) + Self.world.news(after: middle, until: Self.end)
    expect(parts, equals: Self.world.news(after: Self.begin, until: Self.end))
  }

  @Test("with patience a short absence is no news, and what changed meanwhile is news of its end")
  func patience() {
    let hasty = Self.world.news(after: Self.begin, until: Self.end)
    let patient = Self.world.news(after: Self.begin, until: Self.end, patience: 86400)
    let absences = Self.world.absences(until: Self.end).filter {
      $0.value.lowerBound > Self.begin && $0.value.upperBound <= Self.end
    }
    let short = absences.filter { $0.value.upperBound - $0.value.lowerBound < 86400 }
    #expect(short.count > 3 && short.count < absences.count)
    for (id, absence) in absences {
      let isShort = short[id] != nil
      #expect(hasty.contains { $0.id == id && $0.at == absence.lowerBound && $0.kind == .withdrawn })
      expect(patient.contains { $0.id == id && $0.kind == .withdrawn }, equals: !isShort)
      #expect(!patient.contains { $0.id == id && $0.at > absence.lowerBound && $0.at < absence.upperBound })
    }
    let ids = Set(short.keys)
    expect(patient.filter { !ids.contains($0.id) }, equals: hasty.filter { !ids.contains($0.id) })
  }

  @Test("as many launches are absent and withdrawn as are wanted, and the others are as they would have been")
  func shares() {
    let plain = LaunchWorld(seed: 3, upcoming: 80)
    let now = Self.time(40)
    let ids = Set(Self.world.upcoming(at: now).map(\.id))
    expect(Self.world.upcoming(at: now), equals: plain.upcoming(at: now).filter { ids.contains($0.id) })
    #expect(plain.absences(until: Self.end).isEmpty)
    let absences = Self.world.absences(until: Self.end)
    let share = Double(absences.values.count { $0.upperBound == .distantFuture }) / Double(absences.count)
    #expect((0.15...0.4).contains(share), "\(share)")
    for (id, absence) in absences.prefix(10) {
      expectNil(Self.world.launch(id, at: absence.lowerBound))
      #expect(Self.world.launch(id, at: SkyTime(milliseconds: absence.lowerBound.milliseconds - 1)) != nil)
      if absence.upperBound < .distantFuture {
        #expect(Self.world.launch(id, at: absence.upperBound) != nil)
      }
    }
  }
}
