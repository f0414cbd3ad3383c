import Fetch
import Engine
import Language

/// Reports what is wrong with the address that a source's requests begin with.
func checkAddress(_ text: String, at place: Place, _ checker: Checker) {
  do throws(AddressError) { _ = try Address(text) } catch { checker.report("\(error)", at: place) }
}
