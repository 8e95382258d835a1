/* kernels_avx2.c - the tuned kernels for x86-64 with AVX2, FMA and POPCNT
 *
 * SPDX-License-Identifier: MIT
 *
 * Only this file is compiled for these; nothing here may run before the processor is checked.
 */
#if defined(__AVX2__) && defined(__FMA__) && defined(__POPCNT__)

#define VECTOR_BYTES 32
#include "kernels/tuned.h"

static const isg_kernels table = {"avx2",       random_words, hamming,      nearest, ward_distances,
                                  hidden_input, gibbs_sweep,  spin_moments, tile,    add_multiple,
                                  dot,          rotate,       log_cosh,     peak};
const isg_kernels *const isg_kernels_avx2 = &table;

#else

#include "kernels/kernels.h"

const isg_kernels *const isg_kernels_avx2 = NULL;

#endif
