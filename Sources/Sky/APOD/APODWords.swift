// The words that titles and explanations are made of. Names of places, people and things in the sky are invented.

/// A kind of picture, with what may be said of it.
///
/// Words in braces are filled in: see APODText.
struct APODSubject: Sendable {
  let weight: Double
  let titles: [String]
  let openings: [String]
  let middles: [String]

  static let all = [nebula, galaxy, cluster, comet, world, aurora, eclipse, meteors, craft]

  private static let nebula = APODSubject(
    weight: 28,
    titles: [
      "The {nick} Nebula", "{code}: The {nick} Nebula", "Inside the {nick} Nebula", "Dust Lanes of {code}",
      "The {colour} Heart of {code}", "Stars Forming in the {nick}", "The {nick} and the {nick2}",
      "{constellation}'s {nick} Nebula in {colour} Light",
    ],
    openings: [
      "What shaped the {nick} Nebula? Some {years} light-years away in {constellation}, winds from a handful of hot young stars have hollowed out a cloud of gas that was dark and cold not long ago.",
      "Clouds of glowing gas drift through {constellation} in this deep telescopic view. Catalogued as {code}, the brightest of them is better known as the {nick} Nebula.",
      "The faint {nick} Nebula is easy to miss and hard to forget. It spans about {span} light-years, and lies {years} light-years from us toward {constellation}.",
    ],
    middles: [
      "Energetic starlight strips electrons from hydrogen, and the {colour} glow marks where they find their way back.",
      "Dark lanes of dust, denser than their surroundings, hide stars that are still being born.",
      "Pillars of cold gas at the lower edge point back at the stars that are slowly wearing them away.",
      "The bluish haze is dust that does not shine but reflects the light of a star nearby.",
      "At that distance the frame is about {span} light-years across.",
    ])

  private static let galaxy = APODSubject(
    weight: 20,
    titles: [
      "The {nick} Galaxy", "Galaxy {code}: Shells and Streams", "{code}: A Spiral Seen Edge On",
      "Two Galaxies in {constellation}", "A {colour} Ring around {code}", "Spiral {code} from {place}",
    ],
    openings: [
      "Far beyond the stars of our own Milky Way, the galaxy {code} turns once in a few hundred million years. Its light has been on the way for some {millions} million years.",
      "Why is this galaxy bent? The {nick} Galaxy in {constellation} has a neighbour, and the two have passed each other at least once.",
      "Sweeping arms of young {colour} stars wind around the yellow core of {code}, an island universe {millions} million light-years away in {constellation}.",
    ],
    middles: [
      "Faint streams of stars around it are what is left of smaller galaxies that came too close.",
      "Spiky stars in front belong to our own galaxy, while the small smudges are galaxies much farther away.",
      "Such a disc holds some hundred billion stars, and a good deal of matter that nobody has seen.",
      "A small satellite galaxy can be made out near the left border.",
      "Star-forming regions line the arms like lamps along a street.",
    ])

  private static let cluster = APODSubject(
    weight: 9,
    titles: [
      "The {nick} Star Cluster", "Globular Cluster {code}", "{code}: Old Stars in {constellation}",
      "The {nick}'s Jewels",
    ],
    openings: [
      "Once there was a cloud, and then there was the {nick} Cluster: a few hundred stars, all about {millions} million years old, {years} light-years away in {constellation}.",
      "The globular cluster {code} packs some two hundred thousand stars into a ball {span} light-years across. They are among the oldest in the galaxy.",
    ],
    middles: [
      "Its brightest stars have swollen to red giants, which stand out yellowish in the picture.",
      "Sorted by colour and brightness, the stars of a cluster tell its age to within a few per cent.",
      "Seen from a planet in its midst, the night would never be dark.",
    ])

  private static let comet = APODSubject(
    weight: 6,
    titles: [
      "Comet {who2} over {place}", "The Two Tails of Comet {who2}", "Comet {who2} Brightens",
      "Comet {who2} Meets {code}",
    ],
    openings: [
      "Comet {who2} came out of the dawn last week and showed more than one tail. The straight {colour} one is gas, driven by the wind of the Sun; the broad one is dust, left along its way.",
      "A visitor from the outer Solar System was caught over {place}. Comet {who2}, discovered on survey pictures two years ago, is now just bright enough for binoculars.",
    ],
    middles: [
      "Its nucleus is only a few kilometres across, and sheds tons of ice and dust each second.",
      "It will pass the Sun next month, if it survives, and then be seen better from the south.",
      "Comets are hard to foretell, and this one may fade as soon as it came.",
    ])

  private static let world = APODSubject(
    weight: 12,
    titles: [
      "{world} in {colour} Light", "Clouds of {world}", "Shadows on {world}", "A Close Pass of {world}",
      "{world} at Its Best",
    ],
    openings: [
      "This is {world} as few have seen it. The picture was put together from {count} single frames, the sharpest of several thousand, taken through a telescope near {place}.",
      "Is that weather? On {world}, what looks like a shoreline is a matter of light and shadow, and changes from hour to hour.",
    ],
    middles: [
      "North is up, and the smallest details that can be made out are about {span} kilometres across.",
      "The colours are enhanced, and tell of differences in what the surface is made of.",
      "Small telescopes show it well this month, in the south after midnight.",
      "How its surface became what it is remains a topic of research.",
    ])

  private static let aurora = APODSubject(
    weight: 8,
    titles: [
      "Aurora over {place}", "A {colour} Night at {place}", "Airglow Ripples over {place}",
      "The Milky Way over {place}",
    ],
    openings: [
      "It had been clear for a week, and nothing happened. Then, an hour before dawn, curtains of {colour} light rose over {place}.",
      "The band of the Milky Way stands upright over {place} in this view, put together from {count} exposures. A faint {colour} glow near the horizon is the air itself.",
    ],
    middles: [
      "Green comes from oxygen about a hundred kilometres up, and red from far above it.",
      "The bright spot on the right is {world}, which had risen a little before.",
      "The storm on the Sun that caused it had been seen two days earlier.",
      "Patterns like these last a few minutes, and no two are alike.",
    ])

  private static let eclipse = APODSubject(
    weight: 5,
    titles: [
      "A {colour} Moon over {place}", "Eclipse at {place}", "The Moon Meets {world}",
      "A Crescent above {place}",
    ],
    openings: [
      "For {count} minutes the Moon was in the shadow of the Earth, and over {place} it turned {colour}. The tint is the light of all sunrises and sunsets at that moment, bent around the Earth.",
      "To see the Moon and {world} so close together takes a clear horizon and some luck. Both were there over {place}, and set {count} minutes later.",
    ],
    middles: [
      "The frame has not been enlarged: from a few kilometres away, a tower is as wide as the Moon.",
      "Dark plains on its face are lava that froze more than three billion years ago.",
      "The next one will be seen from the other side of the world.",
    ])

  private static let meteors = APODSubject(
    weight: 5,
    titles: ["Meteors over {place}", "A Fireball above {place}", "Raining Meteors from {constellation}"],
    openings: [
      "All meteors of this night seem to come from one place in {constellation}. They do not: they fly side by side, and it is perspective that makes them meet.",
      "A fireball lit the ground at {place} for two seconds, and the camera was open. Its trail twisted in the wind for {count} minutes more.",
    ],
    middles: [
      "Each is a grain no larger than a pea, left behind by a comet.",
      "The picture adds up {count} of them, seen in a single night.",
      "The best hours are after midnight, when we look ahead along the way of the Earth.",
    ])

  private static let craft = APODSubject(
    weight: 7,
    titles: [
      "The {nick} Probe at {world}", "A View Back from {world}", "The Dome at {place}",
      "Landing Site of the {nick}",
    ],
    openings: [
      "The probe {nick} took this picture on its way past {world}, and needed {count} minutes to send it home. It had been travelling for six years.",
      "Under the dome at {place}, a new camera has seen the sky for the first time. It will take a picture of the whole sky every {count} nights.",
    ],
    middles: [
      "No part of the craft is larger than a bus, and most of it is antenna.",
      "Engineers expect it to go on working for some years longer than planned.",
      "What it measures will be open to all on the day that it arrives.",
    ])
}

/// Words for any kind of picture.
enum APODWords {
  static let nicks = [
    "Lantern", "Heron", "Weaver", "Anvil", "Kettle", "Thistle", "Harbour", "Sparrow", "Quill", "Cinder",
    "Otter", "Bellows", "Fiddle", "Gannet", "Hedgerow", "Millstone", "Plume", "Tinker", "Orchard", "Drover",
    "Skylark", "Teapot Lid", "Ferryman", "Bramble", "Cartwheel Rut", "Smoke Ring", "Jackdaw", "Paper Kite",
    "Lacework", "Tambourine",
  ]
  static let codes = ["KX", "Orrin", "Vale", "HM", "Tarn", "LSN", "Brandt-Oke", "WR-G"]
  static let colours = ["Blue", "Red", "Green", "Violet", "Amber", "Rose", "Copper", "Teal"]
  static let constellations = [
    "Orion", "Cygnus", "Lyra", "Cassiopeia", "Perseus", "Sagittarius", "Scorpius", "Vela", "Carina",
    "Cepheus",
    "Ursa Major", "Pegasus", "Andromeda", "Monoceros", "Hydra", "Virgo",
  ]
  static let places = [
    "Lake Orsen", "Mount Calder", "the Tivara Desert", "Cape Ellory", "the Sorrel Plain", "Port Anselm",
    "Kestrel Island", "the Dunmore Hills", "Glass Mountain Pass", "the Old Mill at Verrin", "Saltmarsh Point",
    "Upper Corran", "the Quiet Valley", "Fort Isbell", "the Marrow Cliffs",
  ]
  static let worlds = [
    "Mars", "Jupiter", "Saturn", "Venus", "Mercury", "Io", "Europa", "Titan", "Enceladus", "Neptune",
  ]
  static let firstNames = [
    "Mara", "Ilse", "Tomas", "Jonah", "Priya", "Kenji", "Leila", "Oskar", "Nadia", "Rui", "Aoife", "Zuzana",
    "Émile", "Åsa", "Paweł", "Teodor", "Ngozi", "Hana", "Iván", "Sunniva",
  ]
  static let lastNames = [
    "Velt", "Harrow", "Okonta", "Lindmark", "Brask", "Tessaro", "Quillan", "Moravec", "Sánder", "Ferreol",
    "Ashdown-Ray", "Nakamori", "Dragan", "Holloway-Beck", "Ulvestad", "Castellar",
  ]
  static let teams = [
    "the Corran Sky Survey", "Tivara Observatory", "the Night Owls of Verrin", "the Calder Array Team",
  ]
  static let middles = [
    "The featured picture was taken over {count} nights by {who} from {place}.",
    "More than {hours} hours of exposure went into the image, through filters for hydrogen, oxygen and sulphur.",
    "Roughly half of what can be seen here was not known when the first of these pictures was published.",
    "Measurements with larger telescopes have put its age at some {millions} million years.",
    "It can be found with binoculars on a moonless night, a hand's width from the brightest star of {constellation}.",
    "{who}, who took the picture, had waited three seasons for a sky like this.",
    "Look closely, and a second, fainter arc can be made out above the first.",
    "In about {millions} million years nothing of it will be left to be seen.",
    "Several of the bright points turn out to be double when looked at through a telescope.",
  ]
  static let closings = [
    "What it will look like in a thousand years is anybody's guess.",
    "Why it is there at all is still a matter of debate.",
    "Tomorrow's picture: closer to home.", "Clear skies over {place} made it possible.",
    "Planned observations may tell more next year.", "Can you find the satellite that crossed the field?",
    "New: a weekly sky chart is now available from {place}.",
  ]
}
