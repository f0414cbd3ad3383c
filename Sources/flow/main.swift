// The flow command: runs the command named by the first argument.

import CArguments
import Glibc
import System

Heap.returnLargeBlocks()
DescriptorLimit.raise()
let arguments = (1..<max(1, flow_argument_count())).map { index in
  flow_argument(index).map { String(cString: $0) } ?? ""
}
// Otherwise the first file to be opened would become standard output. These descriptors fail on the wrong kind of
// access, so that errors are reported.
for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
  _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
}
exit(StandardOutput.end(Command.run(arguments)))
