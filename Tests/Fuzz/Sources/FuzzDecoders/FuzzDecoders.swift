import JSON
import Markup

/// Any bytes as a table, a feed, XML, a page and a selector: none crashes, each error has a place, and a table that is
/// read in pieces is the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecoders(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let text = UnsafeBufferPointer(start: start + 1, count: count - 1)
  let format = TableFormat(
    delimiter: start[0] & 1 == 0 ? 0x2c : 0x3b, quote: start[0] & 2 == 0 ? 0x22 : nil,
    trims: start[0] & 4 != 0, ragged: [.error, .fill, .skip, .fill][Int(start[0] >> 3 & 3)])
  table(text, format)
  if start[0] & 32 == 0 { markup(text) }
  return 0
}

private func check(_ holds: Bool, _ claim: String) {
  if !holds { fatalError(claim) }
}

private func table(_ text: ByteView, _ format: TableFormat) {
  let header: (fields: [[UInt8]], end: Int, lines: Int)
  do throws(TableFlaw) {
    guard let found = try format.firstRow(text, isFinal: true) else { return }
    header = found
  } catch {
    return check(error.column > 0, "an error of a header has a place")
  }
  let columns = header.fields.enumerated().map { index, name in
    TableColumn("\(index) " + String(decoding: name, as: UTF8.self), index % 5 == 4 ? .number : .text)
  }
  let parser = TableParser(format, columns: columns)
  let whole = rows(text, from: header.end, parser, piece: .max)
  let pieces = rows(text, from: header.end, parser, piece: 5)
  check(whole.rows == pieces.rows, "pieces give the same rows")
  check(whole.flaws == pieces.flaws, "pieces give the same errors")
}

private func rows(
  _ text: ByteView, from start: Int, _ parser: TableParser, piece: Int
) -> (rows: [[UInt8]], flaws: [TableFlaw]) {
  var (start, end, lines) = (start, start, 0)
  var rows: [[UInt8]] = []
  var flaws: [TableFlaw] = []
  repeat {
    end = piece < text.count - end ? end + piece : text.count
    var values: [Value] = []
    let part = ByteView(rebasing: text[start..<end])
    let (done, passed) = parser.parse(part, isFinal: end == text.count, into: &values) { flaw in
      var flaw = flaw
      flaw.row += start
      flaw.line += lines
      flaws.append(flaw)
    }
    for value in values {
      let written = value.json
      guard let again = try? Value.parse(written, .strict) else { fatalError("a row is strictly JSON") }
      check(again.json == written && value.detach().json == written, "a row is a value like any other")
      rows.append(written)
    }
    start += done
    lines += passed
  } while end < text.count
  check(start == text.count, "all of a text is read")
  return (rows, flaws)
}

private func markup(_ text: ByteView) {
  for value in (try? FeedReader.entries(of: text)) ?? [] {
    check(value.member("id")?.string != nil, "an entry has an id")
  }
  if let tree = try? MarkupTree.xml(text) {
    for value in (try? XMLForm().values(of: tree)) ?? [] { _ = value.json }
  }
  let line = text.firstIndex(of: 0x0a) ?? text.count
  let selector = try? Selector(String(decoding: text[..<line], as: UTF8.self))
  guard let tree = try? MarkupTree.html(ByteView(rebasing: text[line...])) else { return }
  for value in (try? HTMLForm(select: selector).rows(of: tree)) ?? [] { _ = value.json }
  check(tree.document.innerMarkup.utf8.count <= 64 * (text.count + 64), "markup does not grow without bound")
}
