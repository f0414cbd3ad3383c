import Glibc
import System
import Testing

@Suite("Addresses of this machine") struct HostAddressesTests {
  @Test("they are numeric and distinct, without the loopback and addresses of a single link")
  func numeric() {
    let all = hostAddresses(version6: true)
    #expect(Set(all).count == all.count)
    for address in all {
      var bytes = in6_addr()
      let family = address.contains(":") ? AF_INET6 : AF_INET
      #expect(inet_pton(family, address, &bytes) == 1, "\(address)")
      #expect(!address.hasPrefix("127.") && address != "::1" && !address.hasPrefix("fe80:"))
    }
    #expect(Set(hostAddresses(version6: false)) == Set(all.filter { !$0.contains(":") }))
  }
}
