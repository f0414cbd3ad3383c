import Expectations
import NATS
import Testing

@Suite("Addresses and subjects of NATS")
struct NATSSettingsTests {
  @Test("addresses: what is one, what in it is secret, what of it is shown")
  func addresses() {
    for address in [
      "nats://a", "tls://a.example.org:4222", "a", "a:1", "nats://u:p@a:4222", "nats://[::1]:4222",
    ] {
      expectNil(NATSAddress.flaw(in: address), "\(address)")
    }
    for address in [
      "", "http://a", "nats://", "nats://a:b", "nats://a:70000", "nats://a/b", "nats://a,nats://b",
    ] {
      #expect(NATSAddress.flaw(in: address) != nil, "\(address)")
    }
    expect(NATSAddress.secret(in: "nats://flow:p@ss@a:4222"), equals: "p@ss")
    #expect(NATSAddress.secret(in: "nats://token@a") == "token" && NATSAddress.secret(in: "nats://a") == nil)
    #expect(
      NATSAddress.shown("nats://flow:p@ss@a:4222") == "nats://a:4222" && NATSAddress.shown("a") == "nats://a")
  }

  @Test("subjects: no empty part, no white space, no wildcard where one is published on")
  func subjects() {
    for subject in ["a", "a.b", "$KV.bucket.key", "a.ü"] { expectNil(NATSSubject.flaw(in: subject)) }
    for subject in ["", ".", "a.", ".a", "a..b", "a b", "a\nPUB b", "a.*", "a.>"] {
      #expect(NATSSubject.flaw(in: subject) != nil, "\(subject)")
    }
    expectNil(NATSSubject.flaw(in: "a.*.>", allowsWildcards: true))
  }
}
