/* isinglass.h - Hopfield networks and restricted Boltzmann machines as two views of one object
 *
 * SPDX-License-Identifier: MIT
 *
 * The whole public interface, in the order a user meets it. Every function that can fail returns an
 * isg_status and leaves one full sentence in isg_error_message(); outputs are written only on
 * success. A NULL options pointer means the defaults. `progress` is always the last parameter and
 * may be NULL. A function called a building block is for programs of your own: neither the command
 * line nor the examples use it. The library never prints, never exits and never reads the
 * environment. It computes in the caller's floating-point environment; to get the promised bits,
 * leave that at its default: rounding to nearest, subnormal numbers kept. The library's threads
 * inherit the environment of the first call.
 */
#ifndef ISINGLASS_H
#define ISINGLASS_H

#include "isinglass/base.h"
#include "isinglass/classify.h"
#include "isinglass/data.h"
#include "isinglass/deep.h"
#include "isinglass/hopfield.h"
#include "isinglass/log_z.h"
#include "isinglass/mapping.h"
#include "isinglass/patterns.h"
#include "isinglass/rbm.h"
#include "isinglass/recall.h"
#include "isinglass/sample.h"
#include "isinglass/theory.h"
#include "isinglass/train.h"

#endif
