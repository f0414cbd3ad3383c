// Modules above see the base module through this one until they import it themselves.
@_exported import System
