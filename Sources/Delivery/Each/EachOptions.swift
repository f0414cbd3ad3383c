import Decode
import Engine
import JSON
import Language
import Reactive

/// The options of a source that can be polled over a list: `http` and `exec`.
package enum EachOptions {
  package static let each = Option.optional(
    "each", OptionType<EachList>.list,
    "the list that the source is polled over: values, { file: PATH } or { from: SOURCE }",
    example: "{ file: shops.csv }")
  package static let whenGone = Option(
    "when_gone", OptionType<GoneRows>.choice(), default: "remove",
    "whether the rows of an entry that leaves the list are removed, which is reported, or forgotten in silence"
  )
  package static let concurrency = Option(
    "concurrency", .integer(1...64), default: "4", "how many entries are polled at once")
  package static let note = Option.optional(
    "note", .expression(with: [LastPoll.variable]),
    "what the next poll sees as $last.note: an expression over the list of rows", example: "map(.id) | max")

  /// The details on lists in the documentation of both sources.
  package static let details = """
    With `each` the source is polled over a list: an address or a command for each entry, which templates see as `.`. Each \
    entry is a poll of its own, with its own cache, failures, retries and coverage; `concurrency` of them run at once, and \
    their first polls are spread out: at most one a second, or over the whole period if that is less. One that fails \
    concerns its own rows only. $meta.each is the entry. Steps and sinks that go by a key tell the rows of different \
    entries apart: `changes` then sends the key as [entry, key]. `join` goes by the key alone.

    An entry is known by the key of the list: itself, or the first member of an object, unless `key` says another. The list \
    is written out, or `{ file: shops.csv }`, which is decoded by the ending of its name (csv, tsv, jsonl, json, yaml; any \
    other has an entry on each line, without those that begin with #) and read again when it has changed, or \
    `{ from: SOURCE }`, the rows of another source's last poll. A list that cannot be read, or is empty, changes nothing. \
    An entry that leaves it is reported, and its rows are removed, unless `when_gone` is forget.

    Templates also see $now, $vars and $last: what the last good poll noted, its time as $last.at, and the output of `note` \
    over the list of its rows as $last.note. $last is null before the first poll, and it is kept where the pipeline has state.
    """

  /// The list of a source's entries.
  package static let lists = EntryLists(
    source: { options in
      if case .source(let name)? = options[each]?.origin { name } else { nil }
    },
    isGiven: { $0[each] != nil },
    make: { options, context in try Entries(options, context) })

  /// Reports options that have no effect without a list.
  package static func check(_ options: Options, _ checker: Checker) {
    if options[each] != nil { return }
    func report(_ name: String, _ isGiven: Bool, at place: SourceRange) {
      if isGiven { checker.report("\(name) has no effect without each", at: place) }
    }
    report("when_gone", options.isGiven(whenGone), at: options.place(of: whenGone))
    report("concurrency", options.isGiven(concurrency), at: options.place(of: concurrency))
  }
}

/// A list of entries, as an option has it.
package struct EachList: Sendable {
  enum Origin: Sendable {
    case values([Value])
    case file(String, Decoding?)
    case source(String)
  }

  var origin: Origin
  /// The expression whose outputs for each value are the entries.
  var rows: Expression?
  var key: Expression?
}

extension OptionType where Value == EachList {
  private static var file: Option<String?> {
    .optional("file", ListFileOptions.file.type, "a file with the entries", example: "shops.csv")
  }
  private static var from: Option<String?> {
    .optional("from", OptionType<String>.stream, "a source whose rows are the entries", example: "shops")
  }
  private static var values: Option<[JSON.Value]?> {
    .optional(
      "list", OptionType<[JSON.Value]>.list(of: OptionType<JSON.Value>.value), "the entries themselves",
      example: "[a, b]")
  }
  private static var rows: Option<Expression?> {
    .optional(
      "rows", OptionType<Expression>.expression, "an expression over each value; its outputs are the entries",
      example: ".id")
  }
  private static var key: Option<Expression?> {
    .optional(
      "key", OptionType<Expression>.expression,
      "what an entry is known by (default: itself, or its first member)", example: ".id")
  }

  fileprivate static var members: [AnyOption] {
    AnyOption.list(file, from, values, ListFileOptions.decode, rows, key)
  }

  /// A list of entries, a file, or the rows of another source.
  static var list: OptionType {
    let sample = "{ file: shops.csv }"
    return OptionType("list of values, or file, from or list", sample: sample, schema: .emptyObject) {
      node, checker in
      let node = checker.resolved(node)
      switch node {
      case .sequence(let sequence):
        let values = sequence.elements.map { checker.resolved($0).value }
        if values.isEmpty { checker.report("the list is empty", at: node.place, hint: "as in [a, b]") }
        return values.isEmpty ? nil : EachList(origin: .values(values))
      case .mapping:
        return OptionType<Options>.group("each", members).decode(node, checker).flatMap { read($0, checker) }
      case .scalar:
        checker.report(
          "a list, or a mapping with file, from or list, is expected here", at: node.place,
          hint: "for example each: [a, b], or each: \(sample)")
        return nil
      }
    }
  }

  private static func read(_ options: Options, _ checker: Checker) -> EachList? {
    let (path, source, given) = (options[file], options[from], options[values])
    let count = [path != nil, source != nil, given != nil].count(where: \.self)
    if count != 1 {
      checker.report(
        count == 0 ? "nothing says where the list is" : "the list is in one place: file, from or list",
        at: options.place, hint: "for example { file: shops.csv }")
      return nil
    }
    let decoding = options[ListFileOptions.decode]
    if decoding != nil, path == nil {
      checker.report("decode goes with file", at: options.place(of: ListFileOptions.decode))
    }
    var each = EachList(origin: .values(given ?? []), rows: options[rows], key: options[key])
    if let source { each.origin = .source(source) }
    if let path { each.origin = .file(path, decoding) }
    return each
  }
}
