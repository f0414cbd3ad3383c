// Photographs of launches: the arc of a rocket over a dark shore, exposed for minutes.

import Glibc

/// A photograph of a launch that follows from its random numbers.
enum LaunchPhoto {
  static func drawn(width: Int, height: Int, _ seed: SkyRandom) -> PNG {
    var random = seed
    let dusks: [[SIMD3<Float>]] = [
      [SIMD3(0.02, 0.03, 0.09), SIMD3(0.12, 0.13, 0.32), SIMD3(0.55, 0.3, 0.36), SIMD3(0.98, 0.66, 0.36)],
      [SIMD3(0.01, 0.04, 0.1), SIMD3(0.05, 0.2, 0.34), SIMD3(0.3, 0.55, 0.6), SIMD3(0.95, 0.86, 0.62)],
      [SIMD3(0.02, 0.02, 0.06), SIMD3(0.14, 0.08, 0.26), SIMD3(0.4, 0.2, 0.42), SIMD3(0.88, 0.52, 0.5)],
    ]
    let colors = PictureColors((dusks.randomElement(using: &random) ?? dusks[0]) + [SIMD3(1, 0.96, 0.86)])
    let clouds = PictureNoise(width: width, height: height, cells: 4, &random)
    let horizon = Float.random(in: 0.76..<0.86, using: &random)
    var light = [Float](repeating: 0, count: width * height)
    for y in 0..<height {
      let down = (Float(y) + 0.5) / Float(height)
      for x in 0..<width {
        let cloud = clouds.values[y * width + x]
        light[y * width + x] =
          down < horizon ? 0.04 + 0.6 * pow(down / horizon, 2.4) * (0.7 + 0.5 * cloud) : 0.015 + 0.04 * cloud
      }
    }
    addArc(to: &light, width: width, height: height, horizon: horizon, &random)
    var dots = light.map { UInt8(max(0, min(1, $0)) * Float(PictureColors.levels - 1)) }
    SkyPhoto.addStars(to: &dots, width: width, height: height, &random, above: horizon * 0.6)
    return PNG(width: width, height: height, palette: colors.palette, dots: dots)
  }

  /// The rocket's way, brightest where it began, and its light on the water.
  private static func addArc(
    to light: inout [Float], width: Int, height: Int, horizon: Float, _ random: inout SkyRandom
  ) {
    let foot = Float.random(in: 0.2..<0.45, using: &random)
    let turn: Float = random.happens(0.5) ? 1 : -1
    let start = turn > 0 ? foot : 1 - foot
    for step in 0..<height * 4 {
      let part = Float(step) / Float(height * 4)
      let x = start + turn * 0.5 * pow(part, 2.2)
      let y = horizon - (horizon - 0.06) * pow(part, 0.8)
      glow(x, y, bright: 1 - 0.55 * part, size: 0.004 + 0.004 * (1 - part))
    }
    glow(start, horizon, bright: 0.85, size: 0.025)
    for step in 0..<height / 6 {
      let down = Float(step) / Float(height)
      glow(start + 0.006 * sin(down * 190), horizon + 0.02 + down, bright: 0.5 - down * 2.4, size: 0.006)
    }

    func glow(_ across: Float, _ down: Float, bright: Float, size: Float) {
      let reach = max(1, Int(size * Float(width) * 2))
      let (x, y) = (Int(across * Float(width)), Int(down * Float(height)))
      for row in max(0, y - reach)..<max(max(0, y - reach), min(height, y + reach + 1)) {
        for column in max(0, x - reach)..<max(max(0, x - reach), min(width, x + reach + 1)) {
          let far = Float((row - y) * (row - y) + (column - x) * (column - x)) / Float(reach * reach)
          let place = row * width + column
          light[place] = max(light[place], bright * max(0, 1 - far))
        }
      }
    }
  }
}
