import JSON
import Testing

@testable import Sky

@Suite struct APODCorrectionsTests {
  private let calendar = APODCalendar(seed: 7, hasBadDays: false)

  private func value(_ date: SkyDate, at now: SkyTime) -> Value {
    APODDay(seed: 7, date: date, at: now, in: calendar).value(
      origin: "http://sky", hasThumbnail: true, hasConcepts: false)
  }

  @Test("four days of a hundred change once within eight days, in one member, mostly the explanation")
  func corrections() {
    let dates = (0..<5000).map { SkyDate(2012, 1, 1) + $0 }
    var changed: [String: Int] = [:]
    var corrected = 0
    var delays: [Double] = []
    for date in dates {
      let published = calendar.publication(of: date)
      let first = value(date, at: published)
      let final = value(date, at: published + 8 * 86400)
      let correction = APODCorrection(seed: 7, date: date)
      #expect((first != final) == (correction != nil), "\(date)")
      guard let correction else { continue }
      corrected += 1
      delays.append(correction.delay)
      #expect(value(date, at: published + (correction.delay - 1)) == first)
      #expect(value(date, at: published + correction.delay) == final)
      let names = Set(first.keys + final.keys).filter { first.member($0) != final.member($0) }
      if names.contains("hdurl") || names.contains("thumbnail_url") {
        #expect(names.isSubset(of: ["url", "hdurl", "thumbnail_url"]))
      } else {
        #expect(names.count == 1)
      }
      changed[names.map(\.name).sorted()[0], default: 0] += 1
    }
    #expect((150...250).contains(corrected), "\(corrected)")
    #expect(changed["explanation", default: 0] > corrected / 2)
    #expect(changed["copyright", default: 0] > 0 && changed["hdurl", default: 0] > 0)
    #expect(changed["title", default: 0] > 0)
    #expect(delays.allSatisfy { (0...8 * 86400).contains($0) })
    #expect(delays.count { $0 < 2 * 86400 } > corrected / 3)
  }
}
