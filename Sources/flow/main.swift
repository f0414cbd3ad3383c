// The flow command: finds the command that the first argument names and runs it.

import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
// Otherwise the first file that is opened would be standard output. These two can be neither read nor written as they
// should be, so that whoever tries is told.
for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
  _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
}
exit(Command.run(arguments))
