/* kernels_avx512.c - the tuned kernels for x86-64 with AVX-512
 *
 * SPDX-License-Identifier: MIT
 *
 * Only this file is compiled for it; nothing here may run before the processor is checked.
 */
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) &&                      \
    defined(__AVX512VL__) && defined(__FMA__) && defined(__POPCNT__)

#define VECTOR_BYTES 64
#include "kernels/tuned.h"

static const isg_kernels table = {"avx512",     random_words, hamming,      nearest, ward_distances,
                                  hidden_input, gibbs_sweep,  spin_moments, tile,    add_multiple,
                                  dot,          rotate,       log_cosh,     peak};
const isg_kernels *const isg_kernels_avx512 = &table;

#else

#include "kernels/kernels.h"

const isg_kernels *const isg_kernels_avx512 = NULL;

#endif
