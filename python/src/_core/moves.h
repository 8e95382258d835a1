/* moves.h - what moves chains other than sweeps, for the methods of chains
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_CORE_MOVES_H
#define ISINGLASS_CORE_MOVES_H

#include "core.h"

typedef struct core_moves {
    isg_moves moves;
    PyObject *how, *patterns; /* borrowed */
    bool is_claimed;
} core_moves;

/* `how` is Jumps, Tempering, or None for sweeps; patterns may be None. false with an exception, when nothing
   is to be dropped. */
bool core_moves_claim(core_moves *out, PyObject *how, PyObject *patterns);
void core_moves_drop(core_moves *moves);

#endif
