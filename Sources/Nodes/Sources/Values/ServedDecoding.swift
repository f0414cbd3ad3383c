import Fetch
import JSON

extension Decoding {
  /// The values of an answer; throws for the first part that cannot be decoded, and for text that is in another encoding
  /// than the server says.
  func values(of answer: Response, _ columns: PolledColumns) throws(DecodeFailure) -> [Value] {
    var decoding = self
    decoding.resolve = { link in try? answer.address.resolving(link) }
    decoding.charset = nil
    var text = answer.bytes
    if chosenCharset != nil { return try decoding.values(of: text, columns) }
    let isObject = text.withUnsafeBufferPointer { $0.startsObject }
    let isMarkup = [.html, .xml].contains(format) || format == .feed && !isObject
    // Without a name, markup itself may declare its encoding.
    if isMarkup, answer.charset == nil { return try decoding.values(of: text) }
    do throws(EncodingFlaw) {
      text = try servedText(text, charset: answer.charset, trustsName: format == .html)
      decoding.charset = "UTF-8"
    } catch {
      if !isMarkup { throw DecodeFailure(reason: "\(format.name): \(error)") }
      // The server is wrong, and a document may know better.
      if format == .html { decoding.charset = answer.charset }
    }
    return try decoding.values(of: text, columns)
  }
}

extension ByteView {
  /// Whether it is JSON rather than XML.
  var startsObject: Bool {
    first { !isSpace($0) && ![0xef, 0xbb, 0xbf].contains($0) } == 0x7b
  }
}
