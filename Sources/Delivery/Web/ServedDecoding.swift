import Decode
import Fetch
import JSON
import System

extension Decoding {
  /// The values of an answer; throws for the first part that cannot be decoded, and for text that is in another encoding
  /// than the server says.
  func values(of answer: Response, _ columns: PolledColumns) throws(Sentence) -> [Value] {
    var decoding = self
    decoding.resolve = { link in try? answer.address.resolving(link) }
    decoding.charset = nil
    var text = answer.bytes
    if chosenCharset != nil { return try decoding.values(of: text, columns) }
    let isObject = text.withUnsafeBufferPointer { $0.startsObject }
    // A page is read as browsers read it, whatever the server says.
    if format == .html {
      decoding.charset = answer.charset
      return try decoding.values(of: text)
    }
    let isMarkup = format == .xml || format == .feed && !isObject
    // Without a name, markup itself may declare its encoding.
    if isMarkup, answer.charset == nil { return try decoding.values(of: text) }
    do throws(Sentence) {
      text = try servedText(text, charset: answer.charset)
      decoding.charset = "UTF-8"
    } catch {
      // The server is wrong, and a document may know better.
      if !isMarkup { throw Sentence("\(format.name): \(error)") }
    }
    return try decoding.values(of: text, columns)
  }
}

extension Decoding {
  /// The values of an answer that should have some; throws for one that comes without a text, or with a page in its place.
  package func checkedValues(
    of answer: Response, _ columns: PolledColumns = PolledColumns(nil)
  ) throws(Sentence) -> [Value] {
    if [202, 204, 205].contains(answer.status) {
      throw Sentence("answered \(answer.status), which comes without \(format.name)")
    }
    if format.refusesPages, let page = answer.page {
      throw Sentence("answered \(page) instead of \(format.name)")
    }
    // Even a list without rows has a header or brackets, or a status that says so.
    if answer.bytes.allSatisfy({ isSpace($0) }) {
      throw Sentence("answered \(answer.status) with an empty body instead of \(format.name)")
    }
    return try values(of: answer, columns)
  }
}
