import Decode
import Delivery
import Language
import System

// What must hold between the options of `http`: its address, and polls or a stream.

extension HTTPOptions {
  /// Reports an address that is invalid, and a host that data may not choose.
  static func checkAddress(_ options: Options, _ checker: Checker) {
    let (url, place) = (options[HTTPOptions.url], options.place(of: HTTPOptions.url))
    let choosesHost = options[HTTPOptions.anyHost] || !options[HTTPOptions.hosts].isEmpty
    if url.hasFixedHost {
      WebOptions.check(url.opening, at: place, checker)
      if choosesHost {
        let option = options[HTTPOptions.anyHost] ? "any_host" : "hosts"
        checker.report("\(option) has no effect: the host is written out in url", at: place)
      }
    } else if options[HTTPOptions.anyHost],
      options.isGiven(WebOptions.bearer) || options.isGiven(WebOptions.basic)
    {
      checker.report(
        "with any_host each entry may have the token or password sent to a host of its choice", at: place,
        hint: "name the hosts that are meant instead: hosts: [a.example.org]")
    } else if !choosesHost {
      checker.report(
        "data may choose the host of this address", at: place,
        hint:
          "write the host out, or name those that are meant, hosts: [a.example.org], or set any_host: true")
    }
  }

  /// Reports options of polls beside `stream`, and the other way round.
  static func checkStream(_ options: Options, _ checker: Checker) {
    guard options[HTTPOptions.stream] != nil else {
      if options.isGiven(HTTPOptions.heartbeat) {
        checker.report("heartbeat has no effect without stream", at: options.place(of: HTTPOptions.heartbeat))
      }
      return
    }
    func refuse<Value>(_ option: Option<Value>) {
      if options.isGiven(option) {
        checker.report("\(option.name) has no effect with stream", at: options.place(of: option))
      }
    }
    refuse(EachOptions.each)
    refuse(HTTPOptions.rows)
    refuse(HTTPOptions.next)
    refuse(HTTPOptions.cursor)
    refuse(HTTPOptions.page)
    refuse(HTTPOptions.offset)
    refuse(HTTPOptions.maxPages)
    refuse(HTTPOptions.limit)
    refuse(HTTPOptions.order)
    refuse(HTTPOptions.total)
    refuse(HTTPOptions.cache)
    refuse(HTTPOptions.timeout)
    if options[HTTPOptions.stream] == .lines, let whole = options[Decoding.option].wholeText {
      checker.report(
        "a stream of lines is decoded as it comes, not \(whole)", at: options.place(of: Decoding.option))
    }
  }
}
