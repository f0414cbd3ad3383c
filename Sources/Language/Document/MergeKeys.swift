/// The entries of a mapping with those of its merge key `<<` added; its own come first, then those named first.
///
///     <<: *defaults
///     <<: [*mine, *defaults]
func merged(_ entries: [YAMLNode.Entry], _ problems: inout Problems) -> [YAMLNode.Entry] {
  let isMerge: (YAMLNode.Entry) -> Bool = { $0.key.text == "<<" && $0.key.style == .plain }
  guard let merge = entries.first(where: isMerge) else { return entries }
  var result = entries.filter { !isMerge($0) }
  var names = Set(result.map(\.key.text))
  let sources: [YAMLNode]
  if case .sequence(let sequence) = merge.value {
    sources = sequence.elements
  } else {
    sources = [merge.value]
  }
  for source in sources {
    guard case .mapping(let mapping) = source else {
      problems.report(
        "“<<” takes a mapping or a list of mappings, and this is \(source.kind)", at: merge.key.place,
        hint: "write <<: *name, with &name at a mapping above")
      continue
    }
    for entry in mapping.entries where names.insert(entry.key.text).inserted { result.append(entry) }
  }
  return result
}
