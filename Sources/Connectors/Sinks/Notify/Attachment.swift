import Fetch
import JSON
import System

/// A picture that goes along with a message: how a service takes the file, beside what its request has anyway.
enum Attachment: Sendable {
  /// As the body, with what the message has as headers.
  case body
  /// In a form, whose fields are the members of the request; the name is that of the file's own.
  case fields(String)
  /// In a form, behind the request as JSON.
  case payload(String, file: String)

  /// The name of the file, and its address in a request.
  static let name = "picture.png"
  static let reference = "attachment://\(name)"

  /// Puts the file into a request for the same message.
  func attach(_ file: [UInt8], to made: ServiceRequest, id: String, _ request: inout Request) throws {
    let members = made.body.keys.map(\.name).compactMap { name in
      made.body.member(name).map { (name, value: $0.string ?? $0.description) }
    }
    switch self {
    case .body:
      request.method = .put
      request.address = request.address.appending(path: made.body.member("topic")?.string ?? "")
      request.headers.removeAll { $0.name == "Content-Type" }
      for (name, value) in members where !["topic", "attach", "tags"].contains(name) {
        let line = MailText.header(value.replacing("\n", by: "\\n"))
        request.headers.append(Header("X-\(name)", line.replacing("\r\n ", by: " ")))
      }
      if let tags = made.body.member("tags")?.items?.compactMap(\.string) {
        let line = MailText.header(tags.joined(separator: ","))
        request.headers.append(Header("X-tags", line.replacing("\r\n ", by: " ")))
      }
      request.headers.append(Header("X-filename", Self.name))
      request.body = file
    case .fields(let own):
      let fields = members.filter { $0.0 != own }.map { ($0.0, Array($0.value.utf8)) }
      setForm(fields, own, file, id, &request)
    case .payload(let name, let own):
      setForm([(name, made.body.json)], own, file, id, &request)
    }
  }

  /// A body of multipart/form-data (RFC 7578).
  private func setForm(
    _ fields: [(String, [UInt8])], _ own: String, _ file: [UInt8], _ id: String, _ request: inout Request
  ) {
    let boundary = "flow-\(StableHash(Array(id.utf8)).digits)-\(StableHash(file).digits)"
    func head(_ name: String, _ more: String = "") -> [UInt8] {
      Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\(more)\r\n\r\n".utf8)
    }
    let parts = fields.map { head($0.0) + $0.1 + [0x0d, 0x0a] }
    request.body =
      parts.flatMap(\.self) + head(own, "; filename=\"\(Self.name)\"\r\nContent-Type: image/png") + file
      + Array("\r\n--\(boundary)--\r\n".utf8)
    request.headers = request.headers.map {
      $0.name == "Content-Type" ? Header($0.name, "multipart/form-data; boundary=\(boundary)") : $0
    }
  }
}
