import Expectations
import Foundation
import Reactive
import ReactiveTesting
import Testing

/// The promises every operator makes, tried on each of them by name.
@Suite struct KitTests {
  @Test func everyOperatorIsInTheKit() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../../Sources/Reactive/Operators")
      .standardized
    // What a connectable stream and a source's own observer have is tried with `publish` and `create`.
    let parts: Set = [
      "autoconnect", "complete", "connect", "dematerialize", "next", "onDispose", "refCount", "replay",
    ]
    var operators: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let text = try String(contentsOf: file, encoding: .utf8)
      for found in text.matches(of: /\n  public (?:static )?func `?(\w+)/)
      where !parts.contains(String(found.1)) {
        operators.insert(found.1.lowercased())
      }
    }
    let groups = try String(
      contentsOf: folder.appending(path: "../Reactive.docc/Observable.md"), encoding: .utf8)
    let listed = Set(groups.matches(of: /\n- ``(\w+)/).map { $0.1.lowercased() })
    for name in operators {
      #expect(listed.contains(name), "\(name) is in no group of Observable.md")
    }
    let tried = Set(Contract.all.map { $0.name.lowercased() })
    #expect(operators.count > 40)
    for name in operators { #expect(tried.contains { $0.hasPrefix(name) }, "\(name) is not in the kit") }
    for name in tried { #expect(operators.contains { name.hasPrefix($0) }, "\(name) is no operator") }
  }

  @Test(arguments: Contract.all, Contract.Promise.allCases)
  func keepsItsPromises(_ contract: Contract, _ promise: Contract.Promise) throws {
    let breaches = try contract.breaches(of: promise)
    #expect(breaches.isEmpty)
  }

  @Test func aBrokenPromiseIsFound() throws {
    // Forgets the end, goes on after a dispose, keeps its observers, and goes on when a closure throws.
    let held = Locked<[any Sendable]>([])
    let broken = Contract.calling("Broken") { source, _, probe in
      Observable<Int>(attaching: { observer, _ in
        held.withLock { $0.append(observer) }
        source.subscribe(
          in: Subscription(), next: { if let number = try? probe($0) { observer.next(number) } })
      })
    }
    let kept = try Contract.Promise.allCases.filter { try broken.breaches(of: $0).isEmpty }
    expect(kept, equals: [.grammarAtOnce, .orderFromInside, .batches])
    #expect(throws: Never.self) { try expectPromises(of: .plain("Map") { source, _ in source.map { $0 } }) }
  }
}
