// The flow command: finds the command that the first argument names and runs it.

import CArguments
import Glibc
import System

Heap.returnLargeBlocks()
let arguments = (1..<max(1, flow_argument_count())).map { index in
  flow_argument(index).map { String(cString: $0) } ?? ""
}
// Otherwise the first file that is opened would be standard output. These two can be neither read nor written as they
// should be, so that whoever tries is told.
for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
  _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
}
exit(Command.run(arguments))
