// SPDX-License-Identifier: Apache-2.0
// The parts of libsystemd that the daemon calls. Swift imports them as they are.

#ifndef DARKROOM_CSYSTEMD_H
#define DARKROOM_CSYSTEMD_H

// Records name the daemon's messages, not places in its source.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

#endif
