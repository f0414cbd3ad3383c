import Expectations
import Testing

@testable import Sky

@Suite struct PicturesServiceTests {
  private let service = PicturesService(seed: 7)
  private let now = SkyTime(seconds: SkyDate(2026, 8, 21).days * 86400)

  private func ask(_ path: String, _ headers: KeyValuePairs<String, String> = [:], method: String = "GET")
    throws
    -> SkyAnswer
  {
    let request = SkyRequest(
      method: method, path: path, headers: headers.map { (name: $0.key, value: $0.value) })
    return try #require(service.answer(request, at: now))
  }

  private func header(_ name: String, of answer: SkyAnswer) -> String? {
    answer.headers.first { $0.name == name }?.value
  }

  @Test(
    "each kind of file is there, with its type",
    arguments: [
      ("/pictures/apod/2026-01-03.png", "image/png"), ("/pictures/apod/2026-07-08.mp4", "video/mp4"),
      ("/pictures/apod/2004-07-08.html", "text/html; charset=utf-8"),
      ("/pictures/vi/6_cH5-daLjg/0.png", "image/png"),
      ("/pictures/patches/starling-4-12_large.png", "image/png"),
    ])
  func kinds(path: String, type: String) throws {
    let answer = try ask(path)
    expect(answer.status, equals: 200)
    expect(header("Content-Type", of: answer), equals: type)
    expect(header("Content-Length", of: answer), equals: "\(answer.body.count)")
    expect(header("Accept-Ranges", of: answer), equals: "bytes")
    expect(header("Last-Modified", of: answer)?.hasSuffix(" GMT"), equals: true)
    #expect(!answer.body.isEmpty)
    try expect(ask(path).body, equals: answer.body)
    let other = PicturesService(seed: 7).answer(SkyRequest(path: path), at: now)
    expect(other?.body, equals: answer.body)
    expect(other?.headers.first { $0.name == "ETag" }?.value, equals: header("ETag", of: answer))
  }

  @Test(
    "what is no picture is not found",
    arguments: [
      "/pictures/", "/pictures/apod/2026-01-03.gif", "/pictures/apod/2026-01-03", "/pictures/patches/.png",
      "/pictures/patches/a b.png", "/pictures/photos//b.png",
    ])
  func none(path: String) throws {
    try expect(ask(path).status, equals: 404)
  }

  @Test("other paths are none of its, and it cannot be written to")
  func others() throws {
    expectNil(service.answer(SkyRequest(path: "/picture"), at: now))
    try expect(ask("/pictures/photos/a.png", method: "PUT").status, equals: 405)
    try expect(ask("/pictures/photos/a.png", method: "HEAD").status, equals: 200)
  }

  @Test("different paths and seeds give different pictures")
  func variety() throws {
    let bodies = try (0..<20).map { try ask("/pictures/patches/\($0).png").body }
    expect(Set(bodies).count, equals: 20)
    let other = PicturesService(seed: 8).answer(SkyRequest(path: "/pictures/patches/0.png"), at: now)
    #expect(other?.body != bodies[0])
  }

  @Test("a conditional request for an unchanged picture gets 304")
  func unchanged() throws {
    let path = "/pictures/apod/2026-01-03.png"
    let whole = try ask(path)
    let tag = try #require(header("ETag", of: whole))
    let date = try #require(header("Last-Modified", of: whole))
    expect(date, equals: "Wed, 05 Oct 2022 00:00:00 GMT")
    for value in [tag, "W/\(tag)", "\"x\", \(tag) ", "*"] {
      let answer = try ask(path, ["If-None-Match": value])
      #expect(answer.status == 304 && answer.body.isEmpty, "\(value)")
      expect(header("ETag", of: answer), equals: tag)
    }
    try expect(ask(path, ["If-None-Match": "\"x\"", "If-Modified-Since": date]).status, equals: 200)
    try expect(ask(path, ["If-Modified-Since": date]).status, equals: 304)
  }

  @Test("a download is resumed with the part that is missing, unless it is of another file")
  func resumption() throws {
    let path = "/pictures/apod/2026-07-08.png"
    let whole = try ask(path)
    let tag = try #require(header("ETag", of: whole))
    let date = try #require(header("Last-Modified", of: whole))
    let count = whole.body.count
    let rest = try ask(path, ["Range": "bytes=1000-", "If-Range": tag])
    expect(rest.status, equals: 206)
    expect(rest.body, equals: Array(whole.body[1000...]))
    expect(header("Content-Range", of: rest), equals: "bytes 1000-\(count - 1)/\(count)")
    expect(header("Content-Length", of: rest), equals: "\(count - 1000)")
    try expect(ask(path, ["Range": "bytes=1000-", "If-Range": date]).status, equals: 206)
    let changed = try ask(path, ["Range": "bytes=1000-", "If-Range": "\"other\""])
    #expect(changed.status == 200 && changed.body == whole.body)
    for other in ["bytes=0-9", "bytes=-5", "bytes=a-", "bytes=99999999999999999999-", "dots=1-"] {
      try expect(ask(path, ["Range": other]).status, equals: 200, "\(other)")
    }
    let outside = try ask(path, ["Range": "bytes=\(count)-"])
    #expect(outside.status == 416 && outside.body.isEmpty)
    expect(header("Content-Range", of: outside), equals: "bytes */\(count)")
  }
}
