// Titles, explanations and credits, drawn for a day.

/// What is said of a day's picture.
struct APODText: Sendable {
  private(set) var title = ""
  private(set) var explanation = ""
  private var random: SkyRandom
  /// Words that mean the same thing wherever they stand.
  private static let names: Set = [
    "nick", "nick2", "code", "colour", "constellation", "place", "world", "who", "who2", "years",
  ]
  /// What words in braces stand for, so that a picture has one name throughout.
  private var known: [String: String] = [:]

  init(seed: UInt64, date: SkyDate) {
    random = SkyRandom(seed, "apod text", date.days)
    guard let subject = random.pick(APODSubject.all.map { ($0.weight, $0) }) else { return }
    title = filled(one(of: subject.titles))
    var sentences = [one(of: subject.openings)]
    sentences += subject.middles.shuffled(using: &random).prefix(Int.random(in: 3...4, using: &random))
    sentences += APODWords.middles.shuffled(using: &random).prefix(Int.random(in: 3...5, using: &random))
    sentences.append(one(of: APODWords.closings))
    explanation = filled(sentences.joined(separator: random.happens(0.1) ? "   " : " "))
  }

  /// Who took it, as the service has it: often of several lines, and not always trimmed.
  mutating func credit(in year: Int) -> String {
    var credit = random.happens(0.1) ? one(of: APODWords.teams) : known["who"] ?? person()
    if random.happens(year >= 2024 ? 0.4 : year >= 2016 ? 0.2 : 0.03) {
      credit += one(of: [
        "\n\nText:\n\(person())  \n(\(one(of: APODWords.lastNames)) College,\nUpper Corran)",
        "\n Text: \n\(person())", ", \n\(person())", "\n& \(person())",
      ])
    }
    if random.happens(0.065) {
      credit = one(of: ["\n\(credit)\n", "\(credit) ", " \(credit)", "\(credit)\n"])
    }
    return credit
  }

  /// A template with its words filled in.
  private mutating func filled(_ template: String) -> String {
    var text = ""
    var rest = template[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      text += rest[..<open]
      text += word(
        String(rest[rest.index(after: open)..<close]), startsSentence: text.isEmpty || text.hasSuffix(". "))
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }

  private mutating func word(_ name: String, startsSentence: Bool) -> String {
    let word = known[name] ?? newWord(name)
    if Self.names.contains(name) { known[name] = word }
    // In titles colours are names, in sentences they are not.
    if name == "colour", !title.isEmpty { return startsSentence ? word : word.lowercased() }
    return word
  }

  private mutating func newWord(_ name: String) -> String {
    switch name {
    case "nick": return one(of: APODWords.nicks)
    case "nick2": return one(of: APODWords.nicks.filter { $0 != known["nick"] })
    case "code": return "\(one(of: APODWords.codes)) \(Int.random(in: 11...4999, using: &random))"
    case "colour": return one(of: APODWords.colours)
    case "constellation": return one(of: APODWords.constellations)
    case "place": return one(of: APODWords.places)
    case "world": return one(of: APODWords.worlds)
    case "who": return person()
    case "who2": return "\(one(of: APODWords.lastNames))-\(one(of: APODWords.lastNames))"
    case "years": return "\(Int.random(in: 4...98, using: &random) * 100)"
    case "millions": return "\(Int.random(in: 3...240, using: &random))"
    case "span": return "\(Int.random(in: 4...150, using: &random))"
    case "hours": return "\(Int.random(in: 6...90, using: &random))"
    default: return "\(Int.random(in: 3...40, using: &random))"
    }
  }

  private mutating func person() -> String {
    "\(one(of: APODWords.firstNames)) \(one(of: APODWords.lastNames))"
  }

  private mutating func one(of texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
}
