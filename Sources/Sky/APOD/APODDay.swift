// One day of the service: its texts, its picture or video, and the mistakes that are corrected later.

import JSON

/// A day's entry.
struct APODDay: Sendable {
  /// A medium of an entry, and where it is.
  enum Medium: Sendable, Equatable {
    /// A picture of the simulated sky by its name, and whether there is no larger one.
    case image(name: String, isOnlySize: Bool)
    case youtube(id: String, hasScheme: Bool)
    case vimeo(id: Int)
    /// A film of the simulated sky.
    case film(name: String)
    /// A page of the simulated sky.
    case page(name: String)
    /// A medium that the service does not know; it has no address.
    case other
  }

  let date: SkyDate
  var title, explanation: String
  var copyright: String?
  var medium: Medium

  /// The entry after all corrections.
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

  /// Videos are frequent from 2007 on; films were of type `other` until March 2026.
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

  /// The answer of the service, its members in the order of their names.
  func value(origin: String, hasThumbnail: Bool) -> Value {
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

// MARK: - Corrections

/// The correction of an entry: four of a hundred days get one within eight days of their publication.
struct APODCorrection: Sendable {
  enum Kind: Sendable { case explanation, copyright, medium, title }

  let kind: Kind
  /// Seconds since the publication.
  let delay: Double

  /// Nil for an entry that was right from the start.
  init?(seed: UInt64, date: SkyDate) {
    var random = SkyRandom(seed, "apod correction", date.days)
    guard random.happens(0.04) else { return nil }
    kind = random.pick([(28, .explanation), (6, .copyright), (7, .medium), (2, .title)]) ?? .explanation
    // Half of them within two days.
    let share = Double.random(in: 0..<1, using: &random)
    delay = 600 + share * share * (8 * 86400 - 1200)
  }
}

extension APODDay {
  /// The entry as it is answered at a moment: with its mistake until that is corrected.
  init(seed: UInt64, date: SkyDate, at now: SkyTime, in calendar: APODCalendar) {
    self.init(seed: seed, date: date)
    guard let correction = APODCorrection(seed: seed, date: date),
      now < calendar.publication(of: date) + correction.delay
    else { return }
    var random = SkyRandom(seed, "apod mistake", date.days)
    switch (correction.kind, medium) {
    case (.explanation, _) where !explanation.isEmpty: explanation = Self.mistyped(explanation, &random)
    case (.copyright, _): copyright = copyright == nil ? "Mara Velt" : nil
    case (.medium, .image(let name, let isOnlySize)):
      medium = .image(name: "\(name)_first", isOnlySize: isOnlySize)
    case (.medium, .youtube(_, let hasScheme)):
      medium = .youtube(id: Self.videoID(&random), hasScheme: hasScheme)
    default: title = Self.mistyped(title, &random)
    }
  }

  /// One word twice.
  private static func mistyped(_ text: String, _ random: inout SkyRandom) -> String {
    var words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard let place = words.indices.randomElement(using: &random) else { return text }
    words.insert(words[place], at: place)
    return words.joined(separator: " ")
  }
}

/// The text of a day; it follows from the seed and the date.
struct APODText: Sendable {
  /// The parts of titles, explanations and credits; places, people and names of things are invented.
  private static let choices: [String: [String]] = {
    let data = SkyData.json(PackageResources.apod_json)
    return data.keys.reduce(into: [:]) { choices, key in
      choices[key.name] = data.member(key)?.items?.compactMap(\.string)
    }
  }()

  private(set) var title = ""
  private(set) var explanation = ""
  private var random: SkyRandom
  /// The meanings of words in braces throughout the text.
  private var words: [String: String] = [:]

  init(seed: UInt64, date: SkyDate) {
    random = SkyRandom(seed, "apod text", date.days)
    words = [
      "name": one(of: "name"), "code": "\(one(of: "code")) \(number(11...4999))", "colour": one(of: "colour"),
      "constellation": one(of: "constellation"), "place": one(of: "place"), "world": one(of: "world"),
      "who": one(of: "who"), "many": number(6...98), "years": number(4...98) + "00",
    ]
    let subject = one(of: "subjects").split(separator: "|").map(String.init)
    title = filled(subject[0])
    var sentences = [subject[1]]
    let others = Self.choices["sentences", default: []].shuffled(using: &random)
    sentences += others.prefix(Int.random(in: 8...10, using: &random))
    explanation = filled(sentences.joined(separator: random.happens(0.1) ? "   " : " "))
  }

  /// The credit as the service has it: often of several lines, and not always trimmed.
  mutating func credit(in year: Int) -> String {
    var credit = words["who"] ?? ""
    if random.happens(year >= 2024 ? 0.4 : year >= 2016 ? 0.2 : 0.03) {
      let other = one(of: "who")
      let ends = ["\n\nText:\n\(other)  \n(Upper Corran\nCollege)", "\n Text: \n\(other)", ", \n\(other)"]
      credit += ends.randomElement(using: &random) ?? ""
    }
    if !random.happens(0.065) { return credit }
    return ["\n\(credit)\n", "\(credit) ", " \(credit)"].randomElement(using: &random) ?? credit
  }

  private func filled(_ template: String) -> String {
    var text = ""
    for part in template.split(separator: "{", omittingEmptySubsequences: false) {
      guard let end = part.firstIndex(of: "}") else { text += part; continue }
      text += (words[String(part[..<end])] ?? "") + part[part.index(after: end)...]
    }
    return text
  }

  private mutating func number(_ range: ClosedRange<Int>) -> String {
    "\(Int.random(in: range, using: &random))"
  }
  private mutating func one(of kind: String) -> String {
    Self.choices[kind, default: []].randomElement(using: &random) ?? ""
  }
}
