// Four days of a hundred are corrected within about a week of their publication: mostly slips of the pen in the
// explanation, now and then the credit, the picture or the title.

extension APODDay {
  /// The day as the service has it at a moment: with its mistakes until they are corrected.
  init(seed: UInt64, date: SkyDate, at now: SkyTime, in calendar: APODCalendar) {
    self.init(seed: seed, date: date)
    if let correction = APODCorrection(seed: seed, date: date),
      now < calendar.publication(of: date) + correction.delay
    {
      correction.undo(&self, seed: seed)
    }
  }
}

/// What is corrected on a day, and how long after it was published.
struct APODCorrection: Sendable {
  enum Kind: Sendable { case explanation, copyright, medium, title }

  let kind: Kind
  /// In seconds.
  let delay: Double

  /// Nil for a day that was right from the start.
  init?(seed: UInt64, date: SkyDate) {
    var random = SkyRandom(seed, "apod correction", date.days)
    guard random.happens(0.04) else { return nil }
    kind = random.pick([(28, .explanation), (6, .copyright), (7, .medium), (2, .title)]) ?? .explanation
    // Half of them within two days.
    let share = Double.random(in: 0..<1, using: &random)
    delay = 600 + share * share * (8 * 86400 - 1200)
  }

  /// Puts the mistake back.
  func undo(_ day: inout APODDay, seed: UInt64) {
    var random = SkyRandom(seed, "apod mistake", day.date.days)
    switch kind {
    case .explanation where !day.explanation.isEmpty: day.explanation = mistyped(day.explanation, &random)
    case .copyright:
      if let credit = day.copyright {
        day.copyright = random.happens(0.5) ? nil : mistyped(credit, &random)
      } else {
        var text = APODText(seed: seed ^ 1, date: day.date)
        day.copyright = text.credit(in: day.date.year)
      }
    case .medium where day.medium != .other: day.medium = wrong(day.medium, &random)
    case .explanation, .medium, .title: day.title = mistyped(day.title, &random)
    }
  }

  /// Another picture in its place.
  private func wrong(_ medium: APODDay.Medium, _ random: inout SkyRandom) -> APODDay.Medium {
    switch medium {
    case .image(let name, let isOnlySize): .image(name: "\(name)_first", isOnlySize: isOnlySize)
    case .youtube(_, let hasScheme): .youtube(id: APODDay.videoID(&random), hasScheme: hasScheme)
    case .vimeo(let id): .vimeo(id: id ^ 1)
    case .film(let name): .film(name: "\(name)_first")
    case .page(let name): .page(name: "\(name)_first")
    case .other: .other
    }
  }

  /// A word twice, two letters in the wrong order, or one missing.
  private func mistyped(_ text: String, _ random: inout SkyRandom) -> String {
    var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let long = words.indices.filter { words[$0].count > 4 && words[$0].allSatisfy(\.isLetter) }
    guard let number = (long.isEmpty ? Array(words.indices) : long).randomElement(using: &random) else {
      return text
    }
    var letters = Array(words[number])
    let places = letters.indices.dropLast().filter { letters[$0] != letters[$0 + 1] }
    guard !long.isEmpty, let place = places.randomElement(using: &random), !random.happens(0.3) else {
      words.insert(words[number], at: number)
      return words.joined(separator: " ")
    }
    if random.happens(0.5) { letters.swapAt(place, place + 1) } else { letters.remove(at: place) }
    words[number] = String(letters)
    return words.joined(separator: " ")
  }
}
