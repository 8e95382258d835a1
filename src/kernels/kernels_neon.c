/* kernels_neon.c - the tuned kernels for aarch64, every processor of which has NEON
 *
 * SPDX-License-Identifier: MIT
 */
#if defined(__aarch64__) && defined(__ARM_NEON)

#define VECTOR_BYTES 16
#define VECTOR_NEON
#include "kernels/tuned.h"

static const isg_kernels table = {"neon",       random_words, hamming,      nearest, ward_distances,
                                  hidden_input, gibbs_sweep,  spin_moments, tile,    add_multiple,
                                  dot,          rotate,       log_cosh,     peak};
const isg_kernels *const isg_kernels_neon = &table;

#else

#include "kernels/kernels.h"

const isg_kernels *const isg_kernels_neon = NULL;

#endif
