import JSON
import System

extension SystemZone: ZoneRules {}
