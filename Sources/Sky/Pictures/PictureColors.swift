// Palettes: from dark over two colours to bright, and a few greys for stars.

/// The colours of a picture: levels of light first, then those of stars.
struct PictureColors: Sendable {
  typealias Color = (red: UInt8, green: UInt8, blue: UInt8)

  /// How many colours are levels of light; the rest are stars.
  static let levels = 224

  let palette: [Color]

  /// Levels that pass through these colours, each red, green and blue from 0 to 1.
  init(_ stops: [SIMD3<Float>]) {
    let light = (0..<Self.levels).map { level in
      let place = Float(level) / Float(Self.levels - 1) * Float(stops.count - 1)
      let stop = min(Int(place), stops.count - 2)
      return Self.color(stops[stop] + (stops[stop + 1] - stops[stop]) * (place - Float(stop)))
    }
    let stars = (0..<256 - Self.levels).map { step in
      let bright = 0.35 + 0.65 * Float(step) / Float(255 - Self.levels)
      return Self.color(SIMD3(bright, bright, min(1, bright * 1.06)))
    }
    palette = light + stars
  }

  /// The colours of a glowing cloud.
  static func cloud(_ random: inout SkyRandom) -> PictureColors {
    let hues: [(SIMD3<Float>, SIMD3<Float>)] = [
      (SIMD3(0.45, 0.08, 0.14), SIMD3(0.92, 0.48, 0.36)), (SIMD3(0.07, 0.22, 0.42), SIMD3(0.36, 0.74, 0.86)),
      (SIMD3(0.28, 0.1, 0.42), SIMD3(0.85, 0.45, 0.72)), (SIMD3(0.06, 0.3, 0.28), SIMD3(0.58, 0.82, 0.52)),
      (SIMD3(0.4, 0.2, 0.05), SIMD3(0.95, 0.74, 0.38)), (SIMD3(0.1, 0.12, 0.4), SIMD3(0.9, 0.5, 0.42)),
    ]
    let (dark, bright) = hues.randomElement(using: &random) ?? hues[0]
    return PictureColors([SIMD3(0.012, 0.014, 0.035), dark * 0.4, dark, bright, SIMD3(1, 0.97, 0.9)])
  }

  private static func color(_ light: SIMD3<Float>) -> Color {
    func byte(_ part: Float) -> UInt8 { UInt8(max(0, min(255, part * 255))) }
    return (byte(light.x), byte(light.y), byte(light.z))
  }
}
