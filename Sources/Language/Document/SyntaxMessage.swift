import System

/// A syntax error of libyaml as a problem that says how to fix it.
func describe(_ error: SyntaxError, in file: SourceFile) -> Problem {
  let bytes = file.bytes
  let offset = min(error.offset, bytes.count)
  let here = SourceRange(file, offset..<offset + 1)
  let line = file.range(ofLine: file.position(of: offset).line)
  let indentation = bytes[line].prefix(while: isBlank)
  if let tab = indentation.firstIndex(of: UInt8(ascii: "\t")), tab <= offset {
    return Problem(
      "the line is indented with a tab", at: SourceRange(file, tab..<tab + 1),
      hint: "YAML is indented with spaces; use two")
  }
  let context = SourceRange(file, error.contextOffset..<error.contextOffset + 1)
  let began = "that began at \(context.position)"
  if offset > 0, offset < bytes.count, bytes[offset] == UInt8(ascii: "{"),
    bytes[offset - 1] == UInt8(ascii: "$")
  {
    return Problem(
      "“${” within [ ] or { } must be quoted", at: SourceRange(file, offset - 1..<offset + 1),
      hint: "write '${NAME}', or put the value on a line of its own")
  }
  let character = offset < bytes.count && bytes[offset] < 0x80 ? String(Unicode.Scalar(bytes[offset])) : ""
  switch error.problem {
  case "mapping values are not allowed in this context":
    return Problem(
      "unexpected “:”: there cannot be a key here", at: here,
      hint:
        "put the text in single quotes if it contains “: ”, or indent the line like its neighbours"
    )
  case "found character that cannot start any token":
    return Problem("a text cannot begin with \(quoted(character))", at: here, hint: "put it in single quotes")
  case "found unknown escape character":
    return Problem(
      "unknown escape in double quotes", at: SourceRange(file, offset..<offset + 2),
      hint: "use single quotes, where a backslash has no special meaning, as in 'Launch \\(.name)'")
  case "found unexpected end of stream" where error.context.has("quoted"):
    return Problem(
      "the quote that opens here is never closed", at: context, hint: "close it on the same line")
  case "found unexpected document indicator":
    return Problem("the quote that opens here is not closed before the document ends", at: context)
  case "did not find expected ',' or ']'":
    return Problem(
      "the list \(began) is missing “,” or “]” here", at: here,
      hint: "close it with “]”; text with one of [ ] { } , in it needs quotes here")
  case "did not find expected ',' or '}'":
    return Problem(
      "the mapping \(began) is missing “,” or “}” here", at: here,
      hint: "close it with “}”; text with one of [ ] { } , in it needs quotes here")
  case "did not find expected key":
    return Problem(
      "a key of the mapping \(began) is expected here", at: here,
      hint: "indent the line as the other keys of its mapping, and write name: value")
  case "did not find expected '-' indicator":
    return Problem(
      "another “-” of the list \(began) is expected here", at: here, hint: "indent the lines alike")
  case "could not find expected ':'":
    return Problem("the key at \(context.position) has no “:”", at: context, hint: "write it as name: value")
  case "did not find expected alphabetic or numeric character":
    return Problem(
      "“&” and “*” begin the name of an anchor here", at: here,
      hint: "put the text in single quotes if it is meant")
  case "did not find expected <document start>":
    return Problem(
      "unexpected text after the end of the document", at: here,
      hint: "check the indentation of this line and those above")
  case "did not find expected node content":
    return Problem(
      "a value is expected here, not \(quoted(character))", at: here, hint: "remove it, or put it in quotes")
  case "block sequence entries are not allowed in this context":
    return Problem(
      "a list cannot begin here", at: here, hint: "begin it on a line of its own, each element with “- ”")
  case "found undefined tag handle":
    return Problem("“!” begins a tag here", at: here, hint: "put the text in single quotes if it is meant")
  default:
    return Problem(
      "this is not YAML: \(printable(error.problem))", at: here, hint: "check the lines above it, too")
  }
}
