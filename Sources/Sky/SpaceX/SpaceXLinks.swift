// A launch's links, which come one after the other.

import JSON

/// The links of a launch at a moment; pictures are of the sky's own, and pages of no one's.
struct SpaceXLinks {
  let value: Value

  init(_ news: SpaceXNews, _ origin: String) {
    let slug = news.flight.slug
    let year = news.flight.date.date.year
    func page(_ thing: String, _ share: Double, after days: ClosedRange<Double>, _ start: String) -> Value {
      guard news.has(thing, share, after: days) else { return .null }
      var random = news.random(thing)
      return .string(start + SpaceXID.hex(random.next(), 6))
    }
    let patch = "\(origin)/pictures/patches/\(slug)"
    // One that is famous has its patch long before.
    let hasPatch =
      news.isPast || news.has("patch", 0.12, after: -300...(-200)) || news.has("patch 2", 1, after: -3...(-1))
    let video = Self.video(of: news)
    var photos = news.random("photos")
    let count = Int.random(in: 1...9, using: &photos)
    let hasPhotos = news.has("photos", 0.725, after: 0.2...3)
    let forum = "https://forum.example/r/spacex/comments/"
    value = .record([
      "patch": .record([
        "small": hasPatch ? .string("\(patch).svg") : .null,
        "large": hasPatch ? .string("\(patch)_large.svg") : .null,
      ]),
      "reddit": .record([
        "campaign": page("campaign", 0.8, after: -30...(-5), forum),
        "launch": page("thread", 0.88, after: -3...(-1), forum),
        "media": page("media", 0.47, after: -1...0, forum),
        "recovery": page("recovery", 0.51, after: 0.1...1, forum),
      ]),
      "flickr": .record([
        "small": .array([]),
        "original": .array(
          hasPhotos ? (1...count).map { .string("\(origin)/pictures/photos/\(slug)-\($0).png") } : []),
      ]),
      "presskit": page("press kit", 0.49, after: -3...(-1), "https://press.example/kits/\(slug)-"),
      "webcast": .text(video.map { "https://youtu.be/\($0)" }), "youtube_id": .text(video),
      "article": page("article", 0.76, after: 0.1...2, "https://news.example/\(year)/\(slug)-"),
      "wikipedia": page(
        "encyclopedia", 0.83, after: -4...(-0.1), "https://encyclopedia.example/wiki/\(slug)-"),
    ])
  }

  /// The video of a launch, from a day before it on.
  private static func video(of news: SpaceXNews) -> String? {
    guard news.has("video", 0.995, after: -1.2...(-0.5)) else { return nil }
    var random = news.random("video")
    return APODDay.videoID(&random)
  }
}
