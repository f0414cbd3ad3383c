// The flow command: finds the command that the first argument names and runs it.

import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
exit(Command.run(arguments))
