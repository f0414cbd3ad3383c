import COnig
import Glibc

// Regular expressions, by Oniguruma as in jq.

/// A compiled regular expression.
///
/// Belongs to one run.
final class CompiledRegex {
  fileprivate let regex: OnigRegex
  /// Names of groups, by their number from one.
  fileprivate let names: [Int: Value]

  private static let library: Int32 = flow_onig_initialize()

  fileprivate init(_ pattern: [UInt8], _ options: OnigOptionType) throws(Exception) {
    _ = CompiledRegex.library
    var compiled: OnigRegex?
    var info = OnigErrorInfo()
    let status = pattern.withUnsafeBufferPointer { text in
      withOptionalBase(text) { start in
        flow_onig_new(&compiled, start, start + text.count, options, &info)
      }
    }
    guard status == ONIG_NORMAL, let compiled else {
      throw Exception("Regex failure: \(message(status, &info))")
    }
    regex = compiled
    names = CompiledRegex.names(of: compiled)
  }

  deinit { onig_free(regex) }

  private final class NameList { var names: [Int: Value] = [:] }

  private static func names(of regex: OnigRegex) -> [Int: Value] {
    let list = NameList()
    onig_foreach_name(
      regex,
      { name, end, count, groups, _, context in
        guard let name, let end, let groups, let context else { return 0 }
        let list = Unmanaged<NameList>.fromOpaque(context).takeUnretainedValue()
        let text = Value.string(UnsafeBufferPointer(start: name, count: end - name))
        for place in 0..<Int(count) { list.names[Int(groups[place])] = text }
        return 0
      }, Unmanaged.passUnretained(list).toOpaque())
    return list.names
  }
}

/// The address of a text; Oniguruma needs one even for an empty text.
private func withOptionalBase<R>(_ text: ByteView, _ body: (UnsafePointer<UInt8>) -> R) -> R {
  if let base = text.baseAddress { return body(base) }
  var nothing: UInt8 = 0
  return withUnsafePointer(to: &nothing) { body($0) }
}

private func message(_ status: Int32, _ info: UnsafeMutablePointer<OnigErrorInfo>?) -> String {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(ONIG_MAX_ERROR_MESSAGE_LEN) + 1) { buffer in
    let length = flow_onig_message(buffer.baseAddress, status, info)
    return String(decoding: buffer[..<max(0, Int(length))], as: UTF8.self)
  }
}

/// A cache of a run's regular expressions: programs use the same few repeatedly.
struct PatternCache {
  private struct Entry {
    let pattern: [UInt8]
    let options: OnigOptionType
    let regex: CompiledRegex
  }

  private var entries: [Entry] = []
  private static let limit = 16

  mutating func regex(_ pattern: [UInt8], _ options: OnigOptionType) throws(Exception) -> CompiledRegex {
    if let place = entries.lastIndex(where: { $0.options == options && $0.pattern == pattern }) {
      return entries[place].regex
    }
    let regex = try CompiledRegex(pattern, options)
    if entries.count == PatternCache.limit { entries.removeFirst() }
    entries.append(Entry(pattern: pattern, options: options, regex: regex))
    return regex
  }
}

/// Counts characters up to byte offsets that mostly go forward.
struct CharacterCounter {
  private let text: [UInt8]
  private var offset = 0
  private var characters = 0

  init(_ text: [UInt8]) { self.text = text }

  mutating func count(to target: Int) -> Int {
    if target < offset { (offset, characters) = (0, 0) }
    while offset < target {
      if text[offset] & 0xc0 != 0x80 { characters += 1 }
      offset += 1
    }
    return characters
  }
}

/// One search of a text.
struct Search {
  let text: [UInt8]
  let regex: CompiledRegex
  let isGlobal: Bool

  init(_ value: Value, _ pattern: Value, _ flags: Value, _ run: Run) throws(Exception) {
    guard let text = value.textBytes else {
      throw typeError(value, "cannot be matched, as it is not a string")
    }
    guard let pattern = pattern.textBytes else { throw typeError(pattern, "is not a string") }
    self.text = text
    var options = OnigOptionType(ONIG_OPTION_CAPTURE_GROUP)
    var isGlobal = false
    if let letters = flags.string {
      for letter in letters.unicodeScalars {
        switch letter {
        case "g": isGlobal = true
        case "i": options |= OnigOptionType(ONIG_OPTION_IGNORECASE)
        case "x": options |= OnigOptionType(ONIG_OPTION_EXTEND)
        case "m": options |= OnigOptionType(ONIG_OPTION_MULTILINE)
        case "s": options |= OnigOptionType(ONIG_OPTION_SINGLELINE)
        case "p": options |= OnigOptionType(ONIG_OPTION_MULTILINE) | OnigOptionType(ONIG_OPTION_SINGLELINE)
        case "l": options |= OnigOptionType(ONIG_OPTION_FIND_LONGEST)
        case "n": options |= OnigOptionType(ONIG_OPTION_FIND_NOT_EMPTY)
        default: throw Exception("\(letters) is not a valid modifier string")
        }
      }
    } else if !flags.isNull {
      throw typeError(flags, "is not a string")
    }
    self.isGlobal = isGlobal
    regex = try run.patterns.regex(pattern, options)
  }

  /// Calls `body` with each match until it answers false.
  func run(_ body: (OnigRegion) throws(Exception) -> Bool) throws(Exception) {
    guard let region = onig_region_new() else { return }
    defer { onig_region_free(region, 1) }
    guard let parameters = onig_new_match_param() else { return }
    defer { onig_free_match_param(parameters) }
    onig_initialize_match_param(parameters)
    onig_set_retry_limit_in_match_of_match_param(parameters, 10_000_000)
    onig_set_retry_limit_in_search_of_match_param(parameters, 20_000_000)
    var start = 0
    while start <= text.count {
      let status = text.withUnsafeBufferPointer { view in
        withOptionalBase(view) { base in
          onig_search_with_param(
            regex.regex, base, base + view.count, base + start, base + view.count, region,
            OnigOptionType(ONIG_OPTION_NONE), parameters)
        }
      }
      if status == ONIG_MISMATCH { return }
      if status < 0 { throw Exception("Regex failure: \(message(status, nil))") }
      let end = Int(region.pointee.end[0])
      if try !body(region.pointee) { return }
      start = end
      if end == Int(region.pointee.beg[0]) {
        start += 1
        while start < text.count, text[start] & 0xc0 == 0x80 { start += 1 }
      }
    }
  }

  private static let matchShape = Shape([Key("offset"), Key("length"), Key("string"), Key("captures")])
  private static let captureShape = Shape([Key("offset"), Key("length"), Key("string"), Key("name")])
  private static let emptyCaptureShape = Shape([Key("offset"), Key("string"), Key("length"), Key("name")])

  func match(_ region: OnigRegion, _ counter: inout CharacterCounter) -> Value {
    let (begin, end) = (Int(region.beg[0]), Int(region.end[0]))
    let offset = counter.count(to: begin)
    let length = counter.count(to: end) - offset
    var captures: [Value] = []
    for group in 1..<max(1, Int(region.num_regs)) {
      captures.append(
        capture(group, Int(region.beg[group]), Int(region.end[group]), offset, begin == end, &counter))
    }
    return .object(
      Search.matchShape,
      [.number(offset), .number(length), .string(Array(text[begin..<end])), .array(captures)])
  }

  private func capture(
    _ group: Int, _ begin: Int, _ end: Int, _ matchOffset: Int, _ isEmptyMatch: Bool,
    _ counter: inout CharacterCounter
  ) -> Value {
    let name = regex.names[group] ?? .null
    if begin < 0 {
      return .object(Search.emptyCaptureShape, [.number(-1), .null, .number(0), name])
    }
    // In a match of nothing jq gives every group the offset of the match and no text.
    let offset = isEmptyMatch ? matchOffset : counter.count(to: begin)
    if begin == end || isEmptyMatch {
      return .object(Search.emptyCaptureShape, [.number(offset), .string([UInt8]()), .number(0), name])
    }
    let length = counter.count(to: end) - offset
    return .object(
      Search.captureShape, [.number(offset), .number(length), .string(Array(text[begin..<end])), name])
  }
}
