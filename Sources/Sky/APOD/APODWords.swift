// The words of which titles, explanations and credits are made. Places, people and names of things are invented.

/// The text of a day; it follows from the seed and the date.
struct APODText: Sendable {
  private(set) var title = ""
  private(set) var explanation = ""
  private var random: SkyRandom
  /// What the words in braces mean throughout the text.
  private var words: [String: String] = [:]

  init(seed: UInt64, date: SkyDate) {
    random = SkyRandom(seed, "apod text", date.days)
    words = [
      "name": one(of: APODWords.names),
      "code": "\(one(of: ["KX", "Orrin", "Vale", "HM", "LSN"])) \(number(11...4999))",
      "colour": one(of: ["Blue", "Red", "Green", "Violet", "Amber", "Copper"]),
      "constellation": one(of: ["Orion", "Cygnus", "Lyra", "Perseus", "Vela", "Carina", "Cepheus", "Hydra"]),
      "place": one(of: APODWords.places),
      "world": one(of: ["Mars", "Jupiter", "Saturn", "Venus", "Io", "Titan"]),
      "who": one(of: APODWords.people), "many": number(6...98), "years": number(4...98) + "00",
    ]
    let subject = one(of: APODWords.subjects).split(separator: "|").map(String.init)
    title = filled(subject[0])
    var sentences = [subject[1]]
    sentences += APODWords.sentences.shuffled(using: &random).prefix(Int.random(in: 8...10, using: &random))
    explanation = filled(sentences.joined(separator: random.happens(0.1) ? "   " : " "))
  }

  /// The credit as the service has it: often of several lines, and not always trimmed.
  mutating func credit(in year: Int) -> String {
    var credit = words["who"] ?? ""
    if random.happens(year >= 2024 ? 0.4 : year >= 2016 ? 0.2 : 0.03) {
      let other = one(of: APODWords.people)
      credit += one(of: [
        "\n\nText:\n\(other)  \n(Upper Corran\nCollege)", "\n Text: \n\(other)", ", \n\(other)",
      ])
    }
    if random.happens(0.065) { credit = one(of: ["\n\(credit)\n", "\(credit) ", " \(credit)"]) }
    return credit
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
  private mutating func one(of texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
}

enum APODWords {
  static let names = [
    "Lantern", "Heron", "Weaver", "Anvil", "Kettle", "Thistle", "Harbour", "Sparrow", "Quill", "Cinder",
    "Otter",
    "Bellows", "Fiddle", "Gannet", "Hedgerow", "Millstone", "Plume", "Tinker", "Orchard", "Drover", "Skylark",
    "Teapot Lid", "Ferryman", "Bramble", "Cartwheel Rut", "Smoke Ring", "Jackdaw", "Paper Kite", "Lacework",
  ]
  static let places = [
    "Lake Orsen", "Mount Calder", "the Tivara Desert", "Cape Ellory", "the Sorrel Plain", "Port Anselm",
    "Kestrel Island", "the Dunmore Hills", "Glass Mountain Pass", "Saltmarsh Point", "the Marrow Cliffs",
  ]
  static let people = [
    "Mara Velt", "Ilse Harrow", "Tomas Okonta", "Jonah Lindmark", "Priya Brask", "Kenji Tessaro",
    "Leila Quillan", "Oskar Moravec", "Nadia Sánder", "Rui Ferreol", "Aoife Ashdown-Ray", "Zuzana Nakamori",
    "Émile Dragan", "Åsa Holloway-Beck", "Paweł Ulvestad", "Teodor Castellar",
  ]
  /// Titles, each with the first sentences of its explanation.
  static let subjects = [
    "The {name} Nebula in {constellation}|What shaped the {name} Nebula? Some {years} light-years away, winds of young stars have hollowed out a cloud of gas that was dark and cold not long ago.",
    "{code}: The {name} Nebula|Clouds of glowing gas drift through {constellation} in this deep view. Catalogued as {code}, the brightest of them is better known as the {name} Nebula.",
    "The {colour} Heart of {code}|At the centre of the {name} Nebula, the {colour} glow marks where electrons find their way back to hydrogen.",
    "The {name} Galaxy in {colour} Light|Why is this galaxy bent? The {name} Galaxy in {constellation} has a neighbour, and the two have passed each other at least once.",
    "Galaxy {code}: Shells and Streams|Far beyond the stars of our own Milky Way, the galaxy {code} turns once in a few hundred million years.",
    "The {name} Star Cluster in {constellation}|Once there was a cloud, and then there was the {name} Cluster: a few hundred stars, {years} light-years away in {constellation}.",
    "Comet {name} over {place}|Comet {name} came out of the dawn last week and showed more than one tail: a straight one of gas, and a broad one of dust.",
    "{world} in {colour} Light, Seen from {place}|This is {world} as few have seen it. The picture was put together from {many} single frames, the sharpest of several thousand.",
    "Aurora in {colour} over {place}|It had been clear for a week, and nothing happened. Then, an hour before dawn, curtains of light rose over {place}.",
    "The Milky Way and {world} over {place}|The band of the Milky Way stands upright over {place} in this view, put together from {many} exposures.",
    "Meteors from {constellation} over {place}|All meteors of this night seem to come from one place in {constellation}. They fly side by side, and perspective makes them meet.",
    "The {name} Probe at {world}|The probe {name} took this picture on its way past {world}, and needed {many} minutes to send it home.",
  ]
  static let sentences = [
    "The featured picture was taken over several nights by {who} from {place}.",
    "More than {many} hours of exposure went into the image, through filters for hydrogen, oxygen and sulphur.",
    "Roughly half of what can be seen here was not known when the first of these pictures was published.",
    "Measurements with larger telescopes have put its age at some {many} million years.",
    "It can be found with binoculars on a moonless night, a hand's width from the brightest star of {constellation}.",
    "The photographer, {who}, had waited three seasons for a sky like this.",
    "Look closely, and a second, fainter arc can be made out above the first.",
    "In about {many} million years nothing of it will be left to be seen.",
    "Several of the bright points turn out to be double when looked at through a telescope.",
    "Dark lanes of dust, denser than their surroundings, hide stars that are still being born.",
    "Spiky stars in front belong to our own galaxy, while the small smudges are galaxies much farther away.",
    "The colours are enhanced, and show differences in what it is made of.",
    "Green comes from oxygen about a hundred kilometres up, and red from far above it.",
    "How it became what it is remains a topic of research.",
    "What it will look like in a thousand years is anybody's guess.",
    "Planned observations may show more next year.",
  ]
}
