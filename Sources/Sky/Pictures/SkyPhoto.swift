// Photographs of the sky: a nebula or a galaxy among stars.

import Glibc

/// A photograph that follows from its random numbers, at any size.
enum SkyPhoto {
  /// A picture of a cloud of gas or, one in four, a spiral galaxy.
  static func drawn(width: Int, height: Int, _ seed: SkyRandom) -> PNG {
    var random = seed
    let colors = PictureColors.cloud(&random)
    let isGalaxy = random.happens(0.25)
    let clouds = PictureNoise(width: width, height: height, cells: isGalaxy ? 9 : 3, &random)
    let dust = PictureNoise(width: width, height: height, cells: 5, &random)
    let galaxy = Galaxy(&random)
    var light = [Float](repeating: 0, count: width * height)
    for y in 0..<height {
      let down = (Float(y) + 0.5) / Float(height) - 0.5
      for x in 0..<width {
        let place = y * width + x
        if isGalaxy {
          let across = ((Float(x) + 0.5) / Float(width) - 0.5) * 1.6
          light[place] = galaxy.light(across, down) * (0.55 + 0.7 * clouds.values[place])
        } else {
          let gas = max(0, clouds.values[place] - 0.31) * 2.1
          light[place] = gas * (1.15 - min(1, max(0, dust.values[place] - 0.42) * 4))
        }
      }
    }
    var dots = light.map { UInt8(max(0, min(1, $0)) * Float(PictureColors.levels - 1)) }
    addStars(to: &dots, width: width, height: height, &random)
    return PNG(width: width, height: height, palette: colors.palette, dots: dots)
  }

  /// Many faint stars and few bright ones, these with spikes.
  static func addStars(
    to dots: inout [UInt8], width: Int, height: Int, _ random: inout SkyRandom, above horizon: Float = 1
  ) {
    let unit = Float(width) / 320
    for _ in 0..<170 {
      let (across, down) = (
        Float.random(in: 0..<1, using: &random), Float.random(in: 0..<horizon, using: &random)
      )
      let bright = pow(Float.random(in: 0..<1, using: &random), 7)
      let x = Int(across * Float(width))
      let y = Int(down * Float(height))
      let reach = Int((0.6 + bright * 7) * unit)
      for step in -reach...reach {
        let fade = bright * (1 - Float(abs(step)) / Float(reach + 1))
        set(x + step, y, fade)
        set(x, y + step, fade)
      }
      let core = Int(bright * 1.8 * unit)
      for dy in -core...core {
        for dx in -core...core where dx * dx + dy * dy <= core * core {
          set(x + dx, y + dy, 0.25 + 0.75 * bright)
        }
      }
    }

    func set(_ x: Int, _ y: Int, _ bright: Float) {
      guard (0..<width).contains(x), (0..<height).contains(y) else { return }
      let stars = 255 - PictureColors.levels
      let color = PictureColors.levels + Int(bright * Float(stars))
      // Light of a star does not darken the cloud behind it.
      let old = Int(dots[y * width + x])
      if old < 150 || color > 240, color > old { dots[y * width + x] = UInt8(min(255, color)) }
    }
  }
}

/// Two arms around a core, seen at a slant.
private struct Galaxy {
  let angle: Float
  let slant: Float
  let twist: Float

  init(_ random: inout SkyRandom) {
    angle = Float.random(in: 0..<Float.pi, using: &random)
    slant = Float.random(in: 1.2..<2.6, using: &random)
    twist = Float.random(in: 3..<5, using: &random) * (random.happens(0.5) ? 1 : -1)
  }

  /// Its light at a place, the middle of the picture being 0, 0 and its height 1.
  func light(_ across: Float, _ down: Float) -> Float {
    let x = across * cos(angle) + down * sin(angle)
    let y = (down * cos(angle) - across * sin(angle)) * slant
    let radius = (x * x + y * y).squareRoot()
    let arms = 0.5 + 0.5 * cos(2 * atan2(y, x) + twist * log(radius + 0.02) * 2)
    return 1.1 * exp(-radius * 17) + (0.25 + 0.75 * arms * arms) * 0.95 * exp(-radius * 3.6)
  }
}
