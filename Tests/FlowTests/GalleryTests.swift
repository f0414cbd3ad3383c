import Expectations
import Foundation
import Testing

/// The gallery: what its pipelines say over their recordings is tested by `DocumentsTests`, which runs the page.
@Suite struct GalleryTests {
  private let page: String
  private let root = ShippedPipelinesTests.root

  init() throws { page = try String(contentsOfFile: "\(root)/docs/gallery.md", encoding: .utf8) }

  @Test("it has twelve pipelines, each with its own description, a picture, a replay and the real thing")
  func twelve() throws {
    let sections = page.components(separatedBy: "\n## ").dropFirst()
    expect(sections.count, equals: 12)
    for section in sections {
      let name = try #require(section.firstMatch(of: /pipelines\/([\w-]+)\.yaml/)?.1)
      let file = try String(contentsOfFile: "\(root)/pipelines/\(name).yaml", encoding: .utf8)
      let description = try #require(file.firstMatch(of: /\ndescription: (.+)\n/)?.1)
      #expect(section.contains(description), "\(name): its description has changed; run make gallery")
      let replay = try #require(section.firstMatch(of: /\$ flow run .*--replay (\S+) .*?([\w-]+)\n/))
      expect(replay.2, equals: name)
      #expect(FileManager.default.fileExists(atPath: "\(root)/pipelines/\(replay.1)"))
      let picture = try #require(section.firstMatch(of: /(?:\]\(|src=")([\w-]+\.(?:svg|png))/)?.1)
      #expect(FileManager.default.fileExists(atPath: "\(root)/docs/\(picture)"))
      #expect(section.contains("The real thing:"))
    }
  }

  @Test("all recordings take at most 300 kB")
  func size() throws {
    let folder = URL(fileURLWithPath: "\(root)/pipelines/recordings")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
    let sizes = (files?.allObjects as? [URL] ?? []).compactMap {
      try? $0.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
    }.filter { $0.isRegularFile == true }.compactMap(\.fileSize)
    #expect(sizes.count > 10 && sizes.reduce(0, +) <= 300_000, "\(sizes)")
  }
}
