// The arguments of the process, as the C library hands them over.
//
// Swift's CommandLine reads /proc/self/cmdline, which is empty where /proc is not mounted.

#ifndef FLOW_ARGUMENTS_H
#define FLOW_ARGUMENTS_H

int flow_argument_count(void);
const char *flow_argument(int index);

#endif
