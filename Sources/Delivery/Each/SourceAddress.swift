import Engine
import Fetch
import JSON
import Language
import System

/// The address of a source's requests, made of a template for each poll.
///
/// Data is percent-encoded and can only be part of the path or the query; it can choose the host only where the source
/// says which hosts, or that any may be.
package final class SourceAddress {
  private let texts: [String]
  private let values: Evaluation
  private let hosts: Set<String>
  private let allowsAnyHost: Bool
  private let hasFixedHost: Bool

  package init(_ template: AddressTemplate, hosts: [String], any: Bool, _ context: SourceContext) throws {
    texts = try template.texts(by: context.evaluation(template.texts))
    values = context.evaluation(template.values)
    self.hosts = Set(hosts.map { $0.lowercased() })
    allowsAnyHost = any
    hasFixedHost = template.hasFixedHost
  }

  package func address(_ event: Event, last: Value) throws -> Address {
    values.set(LastPoll.variable, last)
    guard let data = try AddressTemplate.data(by: values, event) else {
      throw Sentence("an expression of the address is null")
    }
    if hasFixedHost { return try Address(texts: texts, data: data) }
    // What comes before the path is taken as it is.
    var (opening, taken) = (texts.first ?? "", 0)
    while taken < data.count, !Address.endsHost(opening) {
      if opening.has("://"), let wrong = data[taken].first(where: { !Self.isOfHost($0) }) {
        throw Sentence("\(quoted(data[taken])) is no host: it has the character \(quoted(String(wrong)))")
      }
      opening += data[taken] + texts[taken + 1]
      taken += 1
    }
    let address = try Address(
      texts: [opening] + texts.dropFirst(taken + 1), data: Array(data.dropFirst(taken)))
    guard allowsAnyHost || hosts.contains(address.host) else {
      throw Sentence("\(address.host) is not among hosts; add it, or set any_host: true")
    }
    return address
  }

  private static func isOfHost(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "-.:[]_".contains(character)
  }
}
