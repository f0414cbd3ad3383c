import Expectations
import JSON
import Testing

@testable import Sky

@Suite struct APODDayTests {
  private static let days = (APODCalendar.first.days...SkyDate(2026, 8, 21).days).map {
    APODDay(seed: 7, date: SkyDate(days: $0))
  }
  private let days = APODDayTests.days

  @Test("pictures, videos and what is neither are about as frequent as in the original")
  func media() {
    let images = days.count { $0.mediaType == "image" }
    let videos = days.count { $0.mediaType == "video" }
    let others = days.count { $0.mediaType == "other" }
    expect(images + videos + others, equals: days.count)
    #expect((10_750...11_000).contains(images), "\(images)")
    #expect((320...470).contains(videos), "\(videos)")
    #expect((18...60).contains(others), "\(others)")
    let values = days.map { $0.value(origin: "http://sky", hasThumbnail: true) }
    for (day, value) in zip(days, values) {
      expect((value.member("url") == nil), equals: (day.mediaType == "other"))
      expect((value.member("hdurl") != nil), equals: (day.mediaType == "image"))
      expect((value.member("thumbnail_url") != nil), equals: (day.mediaType == "video"))
    }
    let images2 = values.filter { $0.member("hdurl") != nil }
    let same = images2.count { $0.member("hdurl") == $0.member("url") }
    #expect((0.07...0.13).contains(Double(same) / Double(images2.count)), "\(same)")
    let bare = values.count { $0.member("url")?.string?.hasPrefix("//") == true }
    #expect((15...55).contains(bare), "\(bare)")
    let films = days.filter { if case .film = $0.medium { true } else { false } }
    #expect(!films.isEmpty && films.allSatisfy { $0.date >= SkyDate(2026, 3, 1) })
  }

  @Test("a video has a thumbnail where its host is known, and else an empty one, and only when asked for")
  func thumbnails() throws {
    var seen: Set<String> = []
    for day in days where day.mediaType == "video" {
      let value = day.value(origin: "http://sky", hasThumbnail: true)
      let url = try #require(value.member("url")?.string)
      let isHosted = url.contains("www.youtube.com/embed/") || url.contains("player.vimeo.com/video/")
      let thumbnail = try #require(value.member("thumbnail_url")?.string)
      #expect(thumbnail.isEmpty != isHosted)
      seen.insert(String(thumbnail.prefix(22)))
      expect(value.keys, equals: value.sortedKeys)
      let plain = day.value(origin: "http://sky", hasThumbnail: false)
      expectNil(plain.member("thumbnail_url"))
    }
    expect(seen, equals: ["", "http://sky/pictures/vi"])
  }

  @Test("credits, titles and explanations have the habits of the original")
  func texts() {
    let credits = days.compactMap(\.copyright)
    #expect((5_100...6_000).contains(credits.count), "\(credits.count)")
    let broken = credits.count { $0.trimmed.contains("\n") }
    #expect((520...950).contains(broken), "\(broken)")
    let untrimmed = credits.count { $0 != $0.trimmed }
    #expect((280...450).contains(untrimmed), "\(untrimmed)")
    let brokenTitles = days.count { $0.title.utf8.contains(0x0a) }
    #expect((140...250).contains(brokenTitles), "\(brokenTitles)")
    let empty = days.filter { $0.explanation.isEmpty }
    #expect((6...32).contains(empty.count), "\(empty.count)")
    let lengths = days.map(\.explanation.utf8.count).filter { $0 > 0 }.sorted()
    #expect((760...960).contains(lengths[lengths.count / 2]), "\(lengths[lengths.count / 2])")
    #expect(lengths[0] > 300 && lengths[lengths.count - 1] < 1846)
    #expect(days.allSatisfy { !($0.title + $0.explanation).utf8.contains { $0 == 0x7b || $0 == 0x7d } })
    #expect(Set(days.suffix(365).map(\.title)).count > 330)
    #expect(Set(days.map(\.explanation)).count > 11_000)
  }
}

@Suite struct APODCorrectionsTests {
  private let calendar = APODCalendar(seed: 7, hasBadDays: false)

  private func value(_ date: SkyDate, at now: SkyTime) -> Value {
    APODDay(seed: 7, date: date, at: now, in: calendar).value(
      origin: "http://sky", hasThumbnail: true)
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
      expect((first != final), equals: (correction != nil), "\(date)")
      guard let correction else { continue }
      corrected += 1
      delays.append(correction.delay)
      expect(value(date, at: published + (correction.delay - 1)), equals: first)
      expect(value(date, at: published + correction.delay), equals: final)
      let names = Set(first.keys + final.keys).filter { first.member($0) != final.member($0) }
      if names.contains("hdurl") || names.contains("thumbnail_url") {
        #expect(names.isSubset(of: ["url", "hdurl", "thumbnail_url"]))
      } else {
        expect(names.count, equals: 1)
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

extension String {
  /// Without white space at its ends.
  fileprivate var trimmed: String {
    let end = self.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }
    return String(end.reversed())
  }
}
