import JSON

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
