// Patches of missions, drawn as SVG: a ring, stars, a world, a rocket on its way, and the mission's initials.

import Glibc

/// A patch that follows from a mission's name in small letters: `starling-4-12`.
struct MissionPatch: Sendable {
  private let initials: String
  private let size: Int
  private let seed: SkyRandom

  init(name: String, size: Int, seed: UInt64) {
    initials = Self.initials(of: name)
    self.size = size
    self.seed = SkyRandom(seed, "patch \(name)")
  }

  /// The first letters of its words, and its numbers: `S 4-12`.
  static func initials(of name: String) -> String {
    let parts = name.split(separator: "-")
    let letters = parts.filter { $0.first?.isLetter == true }.prefix(4).compactMap { $0.first?.uppercased() }
    let numbers = parts.filter { $0.first?.isNumber == true }.prefix(2)
    return [letters.joined(), numbers.joined(separator: "-")].filter { !$0.isEmpty }.joined(separator: " ")
  }

  var svg: String {
    var random = seed
    let colors = Self.colors.randomElement(using: &random) ?? Self.colors[0]
    let tilt = Int.random(in: -38...38, using: &random)
    let world = Int.random(in: 178...206, using: &random)
    let worldX = Int.random(in: 96...160, using: &random)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 256 256" width="\(size)" height="\(size)">
      <title>\(initials)</title>
      <defs>
      <clipPath id="disc"><circle cx="128" cy="128" r="106"/></clipPath>
      <radialGradient id="sky" cx="0.5" cy="0.35" r="0.8"><stop offset="0" stop-color="\(colors.sky)"/>\
      <stop offset="1" stop-color="\(colors.night)"/></radialGradient>
      <linearGradient id="trail" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="\(colors.ring)"/>\
      <stop offset="1" stop-color="\(colors.ring)" stop-opacity="0"/></linearGradient>
      </defs>
      <circle cx="128" cy="128" r="124" fill="\(colors.ring)"/>
      <circle cx="128" cy="128" r="118" fill="\(colors.night)"/>
      <circle cx="128" cy="128" r="108" fill="none" stroke="\(colors.ring)" stroke-width="2"/>
      <g clip-path="url(#disc)">
      <rect width="256" height="256" fill="url(#sky)"/>
      \(stars(&random))
      <circle cx="\(worldX)" cy="\(world + 130)" r="150" fill="\(colors.world)"/>
      <circle cx="\(worldX)" cy="\(world + 130)" r="154" fill="none" stroke="\(colors.ring)" stroke-opacity="0.35" \
      stroke-width="5"/>
      <ellipse cx="128" cy="112" rx="96" ry="34" fill="none" stroke="\(colors.ring)" stroke-width="2" \
      stroke-dasharray="2 5" transform="rotate(\(tilt - 8) 128 112)"/>
      </g>
      <g transform="rotate(\(tilt) 128 112)">
      <path d="M121 140 L112 214 L144 214 L135 140 Z" fill="url(#trail)" clip-path="url(#disc)"/>
      <path d="M128 46 C140 62 141 88 139 138 L117 138 C115 88 116 62 128 46 Z" fill="#f4f1ea"/>
      <path d="M128 46 C134 54 137.5 64 139 76 L117 76 C118.5 64 122 54 128 46 Z" fill="\(colors.accent)"/>
      <path d="M117 112 L104 144 L117 138 Z M139 112 L152 144 L139 138 Z" fill="\(colors.accent)"/>
      <circle cx="128" cy="92" r="6" fill="\(colors.night)" stroke="\(colors.ring)" stroke-width="2"/>
      </g>
      <text x="128" y="218" font-family="Helvetica, Arial, sans-serif" font-size="\(initials.count > 6 ? 22 : 28)" \
      font-weight="bold" letter-spacing="2" text-anchor="middle" fill="#f4f1ea">\(initials)</text>
      </svg>

      """
  }

  private func stars(_ random: inout SkyRandom) -> String {
    (0..<34).map { _ in
      let (x, y) = (Int.random(in: 24...232, using: &random), Int.random(in: 24...180, using: &random))
      let tenths = Int.random(in: 6...18, using: &random)
      return "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(tenths / 10).\(tenths % 10)\" fill=\"#fff\" "
        + "fill-opacity=\"0.\(Int.random(in: 4...9, using: &random))\"/>"
    }.joined()
  }

  private static let colors = [
    (sky: "#27406b", night: "#0d1730", ring: "#d9b35b", world: "#2f6f8f", accent: "#b8442f"),
    (sky: "#4a2c5e", night: "#170d26", ring: "#e6c8a0", world: "#8b5a8f", accent: "#d9764a"),
    (sky: "#1f4d4a", night: "#081c1f", ring: "#cfe0c3", world: "#c08a3e", accent: "#2b7a78"),
    (sky: "#5b2b2b", night: "#1e0c0e", ring: "#f0d9b5", world: "#b5543a", accent: "#3c5a80"),
    (sky: "#33415c", night: "#10141f", ring: "#b9c7d9", world: "#5c7f5b", accent: "#c9a227"),
  ]
}
