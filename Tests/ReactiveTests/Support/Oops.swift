/// The error that tests throw.
struct Oops: Error, Equatable {
  var number = 0
}
