// What the service calls statuses and precisions.

extension LaunchStatus {
  /// What versions from 2.1.0 on call it.
  var longName: String {
    switch self {
    case .go: "Go for Launch"
    case .toBeDetermined: "To Be Determined"
    case .success: "Launch Successful"
    case .failure: "Launch Failure"
    case .hold: "On Hold"
    case .inFlight: "Launch in Flight"
    case .partialFailure: "Launch was a Partial Failure"
    case .toBeConfirmed: "To Be Confirmed"
    case .payloadDeployed: "Payload Deployed"
    }
  }

  /// What 2.0.0 calls it, and the others for short.
  var shortName: String {
    switch self {
    case .go: "Go"
    case .toBeDetermined: "TBD"
    case .success: "Success"
    case .failure: "Failure"
    case .hold: "Hold"
    case .inFlight: "In Flight"
    case .partialFailure: "Partial Failure"
    case .toBeConfirmed: "TBC"
    case .payloadDeployed: "Payload Deployed"
    }
  }

  var explanation: String {
    switch self {
    case .go: "The time of launch is confirmed by those who launch."
    case .toBeDetermined: "The date is a placeholder or a rough estimate."
    case .success: "The payload is where it was to go."
    case .failure: "The payload did not get to where it was to go."
    case .hold: "The countdown has been stopped and may go on later."
    case .inFlight: "The rocket has lifted off."
    case .partialFailure: "The payload got to another orbit than it was to, or not all of it did."
    case .toBeConfirmed: "The date is known with some certainty and waits for a confirmation."
    case .payloadDeployed: "The payload has been let go; what became of it is not known yet."
    }
  }
}

extension NetPrecision {
  var name: String {
    switch self {
    case .second: "Second"
    case .minute: "Minute"
    case .hour: "Hour"
    case .day: "Day"
    case .month: "Month"
    case .quarter1: "Quarter 1"
    case .quarter2: "Quarter 2"
    case .quarter3: "Quarter 3"
    case .quarter4: "Quarter 4"
    case .half1: "Half 1"
    case .half2: "Half 2"
    case .year: "Year"
    }
  }

  var abbreviation: String {
    switch self {
    case .second: "SEC"
    case .minute: "MIN"
    case .hour: "HR"
    case .day: "DAY"
    case .month: "M"
    case .quarter1: "Q1"
    case .quarter2: "Q2"
    case .quarter3: "Q3"
    case .quarter4: "Q4"
    case .half1: "H1"
    case .half2: "H2"
    case .year: "Y"
    }
  }

  var explanation: String {
    rawValue <= NetPrecision.hour.rawValue
      ? "The T-0 is accurate to the \(name.lowercased())."
      : "The T-0 is expected within the given \(name.lowercased())."
  }
}
