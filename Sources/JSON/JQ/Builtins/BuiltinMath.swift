import Glibc

// Builtins for numbers: what the C library offers, under its names.

extension Builtins {
  static let math: [String: Builtin] = {
    var table: [String: Builtin] = [
      "infinite/0": .zero { (_, _) throws(Exception) in .number(.infinity) },
      "nan/0": .zero { (_, _) throws(Exception) in .number(.nan) },
      "isinfinite/0": .zero { (value, _) throws(Exception) in .bool(value.double?.isInfinite ?? false) },
      "isnan/0": .zero { (value, _) throws(Exception) in .bool(value.double?.isNaN ?? false) },
      "isnormal/0": .zero { (value, _) throws(Exception) in .bool(value.double?.isNormal ?? false) },
      "abs/0": .zero { (value, _) throws(Exception) in
        if value.kind != .number, try compare(value, .number(0)) >= 0 { return value }
        guard let magnitude = value.magnitude else { throw typeError(value, "cannot be negated") }
        return value.double.map { $0 < 0 } ?? false ? magnitude : value
      },
      "frexp/0": .zero { (value, _) throws(Exception) in
        let number = try operand(value)
        if !number.isFinite || number == 0 { return .array([.number(number), .number(0)]) }
        var exponent: Int32 = 0
        let fraction = Glibc.frexp(number, &exponent)
        return .array([.number(fraction), .number(Int(exponent))])
      },
      "modf/0": .zero { (value, _) throws(Exception) in
        let number = try operand(value)
        var whole = 0.0
        let fraction = Glibc.modf(number, &whole)
        return .array([.number(fraction), .number(whole)])
      },
      "lgamma_r/0": .zero { (value, _) throws(Exception) in
        var sign: Int32 = 0
        let result = Glibc.lgamma_r(try operand(value), &sign)
        return .array([.number(result), .number(Int(sign))])
      },
      "fma/3": .three { (_, a, b, c, _) throws(Exception) in
        .number(Glibc.fma(try operand(a), try operand(b), try operand(c)))
      },
    ]
    for (name, function) in unary {
      table["\(name)/0"] = .zero { (value, _) throws(Exception) in .number(function(try operand(value))) }
    }
    for (name, function) in binary {
      table["\(name)/2"] = .two { (_, a, b, _) throws(Exception) in
        .number(function(try operand(a), try operand(b)))
      }
    }
    return table
  }()

  private static func operand(_ value: Value) throws(Exception) -> Double {
    guard let number = value.double else { throw typeError(value, "number required") }
    return number
  }

  private static let unary: [(String, @Sendable (Double) -> Double)] = [
    ("floor", { $0.rounded(.down) }), ("ceil", { $0.rounded(.up) }), ("trunc", { $0.rounded(.towardZero) }),
    ("round", { $0.rounded(.toNearestOrAwayFromZero) }), ("rint", { $0.rounded(.toNearestOrEven) }),
    ("nearbyint", { $0.rounded(.toNearestOrEven) }), ("sqrt", { $0.squareRoot() }),
    ("fabs", { $0.magnitude }),
    ("sin", { Glibc.sin($0) }), ("cos", { Glibc.cos($0) }), ("tan", { Glibc.tan($0) }),
    ("asin", { Glibc.asin($0) }), ("acos", { Glibc.acos($0) }), ("atan", { Glibc.atan($0) }),
    ("sinh", { Glibc.sinh($0) }), ("cosh", { Glibc.cosh($0) }), ("tanh", { Glibc.tanh($0) }),
    ("asinh", { Glibc.asinh($0) }), ("acosh", { Glibc.acosh($0) }), ("atanh", { Glibc.atanh($0) }),
    ("exp", { Glibc.exp($0) }), ("exp2", { Glibc.exp2($0) }), ("exp10", { Glibc.pow(10, $0) }),
    ("expm1", { Glibc.expm1($0) }), ("log", { Glibc.log($0) }), ("log2", { Glibc.log2($0) }),
    ("log10", { Glibc.log10($0) }), ("log1p", { Glibc.log1p($0) }), ("logb", { Glibc.logb($0) }),
    ("cbrt", { Glibc.cbrt($0) }), ("erf", { Glibc.erf($0) }), ("erfc", { Glibc.erfc($0) }),
    ("gamma", { logGamma($0) }), ("lgamma", { logGamma($0) }), ("tgamma", { Glibc.tgamma($0) }),
    ("j0", { Glibc.j0($0) }), ("j1", { Glibc.j1($0) }), ("y0", { Glibc.y0($0) }), ("y1", { Glibc.y1($0) }),
    ("significand", { significand($0) }),
  ]

  private static let binary: [(String, @Sendable (Double, Double) -> Double)] = [
    ("pow", { Glibc.pow($0, $1) }), ("atan2", { Glibc.atan2($0, $1) }), ("hypot", { Glibc.hypot($0, $1) }),
    ("fmod", { Glibc.fmod($0, $1) }), ("fmin", { Glibc.fmin($0, $1) }), ("fmax", { Glibc.fmax($0, $1) }),
    ("fdim", { Glibc.fdim($0, $1) }), ("copysign", { Glibc.copysign($0, $1) }),
    ("remainder", { Glibc.remainder($0, $1) }), ("drem", { Glibc.remainder($0, $1) }),
    ("nextafter", { Glibc.nextafter($0, $1) }), ("nexttoward", { Glibc.nextafter($0, $1) }),
    ("ldexp", { scaled($0, by: $1) }), ("scalbln", { scaled($0, by: $1) }), ("scalb", { scalb($0, $1) }),
    ("jn", { Glibc.jn(Int32(clamping: saturated($0)), $1) }),
    ("yn", { Glibc.yn(Int32(clamping: saturated($0)), $1) }),
  ]

  private static func logGamma(_ x: Double) -> Double {
    var sign: Int32 = 0
    return Glibc.lgamma_r(x, &sign)
  }

  private static func significand(_ x: Double) -> Double {
    guard x.isFinite, x != 0 else { return x }
    var exponent: Int32 = 0
    return 2 * Glibc.frexp(x, &exponent)
  }

  private static func scaled(_ x: Double, by power: Double) -> Double {
    Glibc.ldexp(x, Int32(clamping: saturated(power)))
  }

  /// As `ldexp`, but only whole powers count.
  private static func scalb(_ x: Double, _ power: Double) -> Double {
    if x.isNaN || power.isNaN { return .nan }
    if power.isInfinite {
      if power > 0 { return x == 0 ? .nan : x * power }
      return x.isInfinite ? .nan : x == 0 ? x : x / -power
    }
    return power.rounded() == power ? scaled(x, by: power) : .nan
  }
}
