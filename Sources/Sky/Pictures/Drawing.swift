// The drawings of the sky: night skies, rockets and mission patches, each from the hash of its name.

import Glibc

/// A drawing of 256 colours, the first of which may be clear.
///
/// The same name and seed draw the same picture. A rocket looks alike in all of its pictures, which end in a number.
struct Drawing {
  static let (columns, rows) = (600, 375)
  /// The measures that drawings are described in.
  private static let (width, height, scale) = (400.0, 250.0, 1.5)

  private(set) var dots = [UInt8](repeating: 0, count: columns * rows)
  private(set) var palette: [UInt8] = []
  private(set) var isClear = false
  private var random: SkyRandom

  private typealias RGB = (Double, Double, Double)

  /// Two colours that go together, the darker first.
  private static let pairs: [(RGB, RGB)] = [
    ((62, 48, 128), (214, 116, 156)), ((20, 78, 116), (104, 196, 204)), ((112, 46, 44), (230, 160, 92)),
    ((40, 66, 142), (150, 166, 232)), ((22, 84, 80), (140, 204, 158)), ((84, 42, 106), (232, 170, 110)),
  ]
  /// Behind the gradient, which ends at 199: plain colours, and stars from 240 on.
  private static let (gradient, dark, body, shade, accent, flame, ember, smoke) = (
    199, UInt8(200), UInt8(201), UInt8(202), UInt8(203), UInt8(204), UInt8(205), UInt8(206)
  )

  init(_ path: String, seed: UInt64) {
    var name = path[..<(path.lastIndex(of: ".") ?? path.endIndex)]
    // A larger one shows the same.
    for end in ["_hd", "_large"] where name.hasSuffix(end) { name = name.dropLast(end.count) }
    random = SkyRandom(seed, "drawing \(name)")
    if path.hasPrefix("/pictures/patches/") {
      drawPatch()
    } else if path.hasPrefix("/pictures/photos/") {
      let rocket = name[..<(name.lastIndex(of: "-") ?? name.endIndex)]
      drawLaunch(SkyRandom(seed, "rocket \(rocket)"))
    } else {
      drawNight()
    }
  }

  // MARK: - Colours

  /// A gradient through colours at even distances, the plain colours, and the greys of stars.
  private mutating func paint(_ stops: [RGB], accent: RGB) {
    func add(_ color: RGB) { palette += [color.0, color.1, color.2].map { UInt8(max(0, min(255, $0))) } }
    for index in 0...Self.gradient {
      let place = Double(index) / Double(Self.gradient) * Double(stops.count - 1)
      let stop = min(Int(place), stops.count - 2)
      add(Self.mix(stops[stop], stops[stop + 1], place - Double(stop)))
    }
    for color: RGB in [
      (14, 16, 24), (238, 240, 244), (168, 176, 190), accent, (255, 236, 170), (250, 150, 60),
      (206, 208, 216),
    ] { add(color) }
    while palette.count < 240 * 3 { add((0, 0, 0)) }
    for index in 0..<16 { add(Self.mix((120, 126, 150), (255, 255, 250), Double(index) / 15)) }
  }

  private static func mix(_ one: RGB, _ other: RGB, _ part: Double) -> RGB {
    (
      one.0 + (other.0 - one.0) * part, one.1 + (other.1 - one.1) * part, one.2 + (other.2 - one.2) * part
    )
  }

  /// A place of the gradient, from 0 to 1, in steps that compress well.
  private static func level(_ part: Double) -> UInt8 {
    UInt8(max(0, min(48, (part * 48).rounded())) * Double(gradient) / 48)
  }

  // MARK: - Shapes

  /// Colours the dots of a rectangle for which there is a colour.
  private mutating func fill(
    _ xs: ClosedRange<Double>, _ ys: ClosedRange<Double>, _ color: (Double, Double) -> UInt8?
  ) {
    func range(_ ends: ClosedRange<Double>, below count: Int) -> ClosedRange<Int> {
      let (low, high) = (Int(ends.lowerBound * Self.scale), Int(ends.upperBound * Self.scale))
      return max(0, min(count - 1, low))...max(0, min(count - 1, high))
    }
    for row in range(ys, below: Self.rows) {
      for column in range(xs, below: Self.columns) {
        let color = color(Double(column) / Self.scale, Double(row) / Self.scale)
        if let color { dots[row * Self.columns + column] = color }
      }
    }
  }

  /// Where a dot of a drawing is.
  private static func index(_ column: Double, _ row: Double) -> Int {
    Int((row * scale).rounded()) * columns + Int((column * scale).rounded())
  }

  private mutating func fill(all color: (Double, Double) -> UInt8?) {
    fill(0...Self.width, 0...Self.height, color)
  }

  private mutating func fill(disc radius: Double, _ x: Double, _ y: Double, _ color: UInt8) {
    fill((x - radius)...(x + radius), (y - radius)...(y + radius)) {
      ($0 - x) * ($0 - x) + ($1 - y) * ($1 - y) <= radius * radius ? color : nil
    }
  }

  /// Stars: most are faint dots, a few have rays.
  private mutating func addStars(_ count: Int, above bottom: Double = height) {
    for _ in 0..<count {
      let x = Double.random(in: 2..<(Self.width - 2), using: &random).rounded()
      let y = Double.random(in: 2..<(bottom - 2), using: &random).rounded()
      let brightness = random.happens(0.12) ? 255 : UInt8.random(in: 240...250, using: &random)
      fill(x...x, y...y) { _, _ in brightness }
      guard brightness == 255 else { continue }
      let length = Double(Int.random(in: 1...3, using: &random))
      fill((x - length)...(x + length), y...y) { column, _ in abs(column - x) < 0.5 ? nil : 246 }
      fill(x...x, (y - length)...(y + length)) { _, row in abs(row - y) < 0.5 ? nil : 246 }
    }
  }

  // MARK: - Skies

  /// Smooth noise from 0 to 1, of four octaves.
  private mutating func noise() -> (Double, Double) -> Double {
    let size = 32
    let lattice = (0..<size * size).map { _ in Double.random(in: 0..<1, using: &random) }
    func smooth(_ x: Double, _ y: Double) -> Double {
      let (column, row) = (Int(x), Int(y))
      let (s, t) = (x - Double(column), y - Double(row))
      let (u, v) = (s * s * (3 - 2 * s), t * t * (3 - 2 * t))
      let (left, right) = (column % size, (column + 1) % size)
      let (top, bottom) = (row % size * size, (row + 1) % size * size)
      let upper = lattice[top + left] + (lattice[top + right] - lattice[top + left]) * u
      let lower = lattice[bottom + left] + (lattice[bottom + right] - lattice[bottom + left]) * u
      return upper + (lower - upper) * v
    }
    return { x, y in
      smooth(x, y) * 0.5 + smooth(x * 2, y * 2) * 0.27 + smooth(x * 4, y * 4) * 0.15
        + smooth(x * 8, y * 8) * 0.08
    }
  }

  /// A nebula, a galaxy, or a planet, among stars.
  private mutating func drawNight() {
    let (deep, bright) = Self.pairs.randomElement(using: &random) ?? Self.pairs[0]
    paint([(6, 7, 16), Self.mix((6, 7, 16), deep, 0.6), deep, bright, (255, 246, 232)], accent: bright)
    let noise = noise()
    let x = Double.random(in: 150...250, using: &random)
    let y = Double.random(in: 100...150, using: &random)
    addStars(90)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: addGalaxy(x, y, noise)
    case 1: addPlanet(x, y, noise)
    default:
      // Stars shine through where the nebula is thin.
      let stars = dots
      fill(all: { column, row in
        let far = hypot((column - x) / 230, (row - y) / 150)
        let cloud = noise(column / 70, row / 70) * 1.9 - 0.62
        let part = cloud * max(0, 1.15 - far)
        let star = stars[Self.index(column, row)]
        return star >= 240 && part < 0.5 ? star : Self.level(part)
      })
    }
  }

  private mutating func addGalaxy(_ x: Double, _ y: Double, _ noise: (Double, Double) -> Double) {
    let turn = Double.random(in: -0.6...0.6, using: &random)
    let flat = Double.random(in: 0.35...0.7, using: &random)
    let (sine, cosine) = (sin(turn), cos(turn))
    fill(all: { column, row in
      let across = (column - x) * cosine + (row - y) * sine
      let down = ((row - y) * cosine - (column - x) * sine) / flat
      let far = max(1, hypot(across, down))
      let arms = 0.5 + 0.5 * cos(2 * (atan2(down, across) - 2.6 * log(far)))
      let part =
        exp(-far / 55) * (0.25 + 0.75 * arms) * (0.6 + 0.7 * noise(column / 24, row / 24))
        + exp(-far * far / 500)
      return part > 0.06 ? Self.level(part) : nil
    })
  }

  private mutating func addPlanet(_ x: Double, _ y: Double, _ noise: (Double, Double) -> Double) {
    let radius = Double.random(in: 50...80, using: &random)
    let light = Double.random(in: -0.9...0.9, using: &random)
    let isRinged = random.happens(0.5)
    func ring(_ column: Double, _ row: Double) -> UInt8? {
      let far = hypot(column - x, (row - y) * 3.4 + (column - x) * 0.5) / radius
      return far > 1.3 && far < 1.95 ? Self.level(0.42 + 0.3 * noise(far * 40, 3)) : nil
    }
    if isRinged { fill(all: ring) }
    fill((x - radius)...(x + radius), (y - radius)...(y + radius)) { column, row in
      let (across, down) = ((column - x) / radius, (row - y) / radius)
      let depth = 1 - across * across - down * down
      if depth < 0 { return nil }
      let shine = max(0.03, across * light - down * 0.5 + depth.squareRoot() * 0.7)
      return Self.level(shine * (0.45 + 0.55 * noise(10 + across * 0.8, 10 + down * 7)))
    }
    // Its nearer half passes in front of the planet.
    if isRinged { fill(all: { (($1 - y) * 3.4 + ($0 - x) * 0.5) > 0 ? ring($0, $1) : nil }) }
  }

  // MARK: - Rockets

  /// A rocket whose tip and foot are at these heights, with boosters or without, on its flame or not.
  private mutating func addRocket(
    _ x: Double, from top: Double, to bottom: Double, _ design: SkyRandom, isFlying: Bool
  ) {
    var design = design
    let length = bottom - top
    let radius = length * Double.random(in: 0.038...0.06, using: &design)
    let (boosters, stripe) = (
      Int.random(in: 0...2, using: &design), Double.random(in: 0.3...0.6, using: &design)
    )
    func tube(_ x: Double, _ top: Double, _ bottom: Double, _ radius: Double, nose: Double) {
      fill((x - radius * 2)...(x + radius * 2), top...bottom) { column, row in
        let high = max(0, min(1, (row - top) / nose))
        let foot = max(0, (row - bottom) / (length * 0.06) + 1)
        let half = radius * (1 - (1 - high) * (1 - high)).squareRoot() + foot * radius * 0.5
        let place = (column - x) / max(half, 0.5)
        if abs(place) > 1 { return nil }
        let part = (row - top) / (bottom - top)
        if abs(part - stripe) < 0.03 || part > 0.93 { return Self.accent }
        return place > 0.35 ? Self.shade : Self.body
      }
    }
    if isFlying {
      fill((x - radius * 3)...(x + radius * 3), bottom...(bottom + length * 0.5)) { column, row in
        let far = (row - bottom) / (length * 0.5)
        let place = abs(column - x) / (radius * (boosters == 0 ? 1.1 : 2.2) * (1 - far))
        return place < 0.5 ? Self.flame : place < 1 ? Self.ember : nil
      }
    }
    for side in boosters == 0 ? [] : [-1.0, 1.0] {
      tube(
        x + side * radius * 1.9, bottom - length * (boosters == 1 ? 0.4 : 0.62), bottom, radius * 0.85,
        nose: radius * 3)
    }
    tube(x, top, bottom, radius, nose: radius * 4)
  }

  /// A rocket on its pad, or above its smoke, in the light of a morning or an evening.
  private mutating func drawLaunch(_ design: SkyRandom) {
    let (deep, bright) = Self.pairs.randomElement(using: &random) ?? Self.pairs[0]
    var design = design
    let own = Self.pairs.randomElement(using: &design)?.0 ?? deep
    paint([(10, 13, 34), Self.mix((10, 13, 34), deep, 0.7), deep, bright, (252, 232, 206)], accent: own)
    let isFlying = random.happens(0.55)
    let ground = 222.0
    let x = Double.random(in: 185...215, using: &random)
    let noise = noise()
    fill(all: { _, row in Self.level(0.12 + 0.78 * row / Self.height) })
    addStars(45, above: 120)
    let foot = isFlying ? 150.0 : ground
    if isFlying {
      for index in 0..<26 {
        let far = Double(index - 13)
        let size = Double.random(in: 10...24, using: &random) + 10 - abs(far) * 0.6
        let lift = Double.random(in: -6...14, using: &random)
        fill(disc: size, x + far * 12, ground + lift, index.isMultiple(of: 3) ? Self.shade : Self.smoke)
      }
    } else {
      // The tower, and its arms.
      fill((x - 44)...(x - 30), 66...ground) { column, row in
        let isLattice =
          (column + row).truncatingRemainder(dividingBy: 14) < 2
          || (column - row + 2000).truncatingRemainder(dividingBy: 14) < 2
        return column < x - 42 || column > x - 32 || isLattice ? Self.dark : nil
      }
      for arm in [92.0, 140, 188] { fill((x - 31)...(x - 6), arm...(arm + 2)) { _, _ in Self.dark } }
    }
    addRocket(x, from: foot - (isFlying ? 130 : 168), to: foot, design, isFlying: isFlying)
    fill(0...Self.width, 200...Self.height) { column, row in
      row > ground - 12 * noise(column / 60, 5) + 6 ? Self.dark : nil
    }
  }

  /// A round badge on a clear ground: a rim, a sky, a world below, a rocket, and the rocket's orbit.
  private mutating func drawPatch() {
    isClear = true
    let (deep, bright) = Self.pairs.randomElement(using: &random) ?? Self.pairs[0]
    let (_, rim) = Self.pairs.randomElement(using: &random) ?? Self.pairs[1]
    paint([(0, 0, 0), (14, 18, 44), deep, bright, (250, 240, 220)], accent: rim)
    let (x, y, radius) = (Self.width / 2, Self.height / 2, 122.0)
    let world = Double.random(in: 20...60, using: &random)
    let (tilt, flat) = (
      Double.random(in: -0.7...0.7, using: &random), Double.random(in: 2.2...3.4, using: &random)
    )
    let design = random
    // The sky has stars; all else is drawn over them.
    addStars(34)
    let stars = dots
    fill(all: { column, row in
      let far = hypot(column - x, row - y)
      if far > radius { return 0 }
      if far > radius - 4 { return Self.dark }
      if far > radius - 16 { return Self.accent }
      if far > radius - 19 { return Self.body }
      if hypot(column - x, row - y - 210) < 120 + world { return Self.level(0.72 - (row - y) / 400) }
      let orbit = hypot(column - x, (row - y + (column - x) * tilt) * flat)
      if abs(orbit - 84) < 3.5 { return Self.body }
      let star = stars[Self.index(column, row)]
      return star >= 240 ? star : Self.level(0.26 + (row - y + radius) / 900)
    })
    addRocket(x, from: y - 84, to: y + 34, design, isFlying: true)
  }
}
