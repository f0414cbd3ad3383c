// What the service has of one day.

import JSON

/// A day's picture or video.
struct APODDay: Sendable {
  /// Where it is to be seen.
  enum Medium: Sendable, Equatable {
    /// A picture of the sky's own by its name, and whether there is no larger one.
    case image(name: String, isOnlySize: Bool)
    case youtube(id: String, hasScheme: Bool)
    case vimeo(id: Int)
    /// A film of the sky's own.
    case film(name: String)
    /// A page of the sky's own that shows a picture.
    case page(name: String)
    /// What the service can make nothing of, and has no address for.
    case other
  }

  let date: SkyDate
  var title: String
  var explanation: String
  var copyright: String?
  var medium: Medium

  /// The day as it is once nothing of it is to be corrected any more.
  init(seed: UInt64, date: SkyDate) {
    self.date = date
    var text = APODText(seed: seed, date: date)
    var random = SkyRandom(seed, "apod day", date.days)
    let year = date.year
    let isEmpty = random.happens(year < 1997 ? 0.028 : 0.0002)
    explanation = isEmpty ? "" : text.explanation
    title = text.title
    if random.happens(0.0172), let space = title.lastIndex(of: " ") {
      title.replaceSubrange(space...space, with: random.happens(0.5) ? "\r\n" : " \n")
    }
    let credited = year < 2001 ? 0.15 : year < 2007 ? 0.35 : year < 2016 ? 0.6 : 0.65
    copyright = random.happens(credited) ? text.credit(in: year) : nil
    medium = APODDay.medium(of: date, &random)
  }

  /// Videos since there is a place to put them; films of the service's own were nothing it knew until March of 2026.
  private static func medium(of date: SkyDate, _ random: inout SkyRandom) -> Medium {
    let knowsFilms = date >= SkyDate(2026, 3, 1)
    let videos = date.year < 2007 ? 0.002 : knowsFilms ? 0.075 : 0.058
    let others = date.year < 2007 || knowsFilms ? 0 : date.year < 2019 ? 0.0025 : 0.009
    let isVideo = random.happens(videos)
    let isOther = random.happens(others)
    let isOnlySize = random.happens(date.year < 1998 ? 0.6 : 0.06)
    if isOther { return .other }
    guard isVideo else { return .image(name: "\(date)", isOnlySize: isOnlySize) }
    if date.year < 2007 { return .page(name: "\(date)") }
    let kind = random.pick([
      (80, Medium.youtube(id: videoID(&random), hasScheme: !random.happens(0.1))),
      (12, .vimeo(id: Int.random(in: 10_000_000...999_999_999, using: &random))),
      (knowsFilms ? 90 : 0, .film(name: "\(date)")), (4, .page(name: "\(date)")),
    ])
    return kind ?? .other
  }

  /// Eleven letters, digits, dashes and underscores.
  static func videoID(_ random: inout SkyRandom) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return String((0..<11).compactMap { _ in letters.randomElement(using: &random) })
  }

  var mediaType: String {
    switch medium {
    case .image: "image"
    case .youtube, .vimeo, .film, .page: "video"
    case .other: "other"
    }
  }

  /// As the service answers, the members in the order of their names.
  func value(origin: String, hasThumbnail: Bool, hasConcepts: Bool) -> Value {
    let pictures = "\(origin)/pictures"
    var (url, large, thumbnail): (String?, String?, String?) = (nil, nil, nil)
    switch medium {
    case .image(let name, let isOnlySize):
      large = "\(pictures)/apod/\(name)_hd.png"
      url = isOnlySize ? large : "\(pictures)/apod/\(name).png"
    case .youtube(let id, let hasScheme):
      url = "\(hasScheme ? "https:" : "")//www.youtube.com/embed/\(id)?rel=0"
      thumbnail = "\(pictures)/vi/\(id)/0.png"
    case .vimeo(let id):
      url = "https://player.vimeo.com/video/\(id)"
      thumbnail = "\(pictures)/vi/\(id)/0.png"
    case .film(let name): (url, thumbnail) = ("\(pictures)/apod/\(name).mp4", "")
    case .page(let name): (url, thumbnail) = ("\(pictures)/apod/\(name).html", "")
    case .other: break
    }
    var members: [(String, Value)] = []
    if hasConcepts {
      members.append(("concepts", .string("concept_tags functionality turned off in current service")))
    }
    if let copyright { members.append(("copyright", .string(copyright))) }
    members += [("date", .string(date.description)), ("explanation", .string(explanation))]
    if let large { members.append(("hdurl", .string(large))) }
    members += [("media_type", .string(mediaType)), ("service_version", .string("v1"))]
    if hasThumbnail, let thumbnail { members.append(("thumbnail_url", .string(thumbnail))) }
    members.append(("title", .string(title)))
    if let url { members.append(("url", .string(url))) }
    return .object(Shape(members.map { Key($0.0) }), members.map(\.1))
  }
}
