// Counts the allocations of the whole process.
#pragma once

/// How many blocks have been allocated so far, by all threads.
long allocations_count(void);
