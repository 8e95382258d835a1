/* kernels_baseline.c - the tuned kernels for any processor of the architecture
 *
 * SPDX-License-Identifier: MIT
 */
#define VECTOR_BYTES 16
#include "kernels/tuned.h"

const isg_kernels isg_kernels_baseline = {
    "baseline",   random_words, hamming,      nearest, ward_distances, hidden_input, gibbs_sweep,
    spin_moments, tile,         add_multiple, dot,     rotate,         log_cosh,     peak};
