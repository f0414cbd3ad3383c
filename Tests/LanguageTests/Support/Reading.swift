import Language

/// Reads a text as a pipeline's file.
func read(
  _ text: String, limits: Limits = Limits(), environment: [String: String] = [:]
) -> YAMLDocument {
  YAMLDocument(SourceFile(path: "a.yaml", text: text), limits: limits) { environment[$0] }
}

/// The problems of a text, one line each, without the path.
func complaints(_ text: String, limits: Limits = Limits(), environment: [String: String] = [:]) -> [String] {
  read(text, limits: limits, environment: environment).problems.sorted.map {
    "\($0.place.position): \($0.message)"
  }
}

/// A small random number generator whose whole state is its seed.
struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
