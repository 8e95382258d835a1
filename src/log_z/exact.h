/* exact.h - what the exact methods for ln Z share
 *
 * SPDX-License-Identifier: MIT
 *
 * None of them uses a sampler, so that samplers can be tested against them. Each splits its sum
 * into blocks that depend only on the problem, computes the blocks in parallel and adds them in
 * order, so that the result is bit-identical on any number of threads.
 */
#ifndef ISG_EXACT_H
#define ISG_EXACT_H

#include "isinglass/log_z.h"
#include "rbm/rbm.h"

/* Terms of a block, kept on the stack until the block is summed. */
enum { ISG_BLOCK_BITS = 11, ISG_BLOCK_TERMS = 1 << ISG_BLOCK_BITS };

/* The logarithm of the sum of one block. `scratch` belongs to the block; it cannot fail. */
typedef double isg_block_sum(const void *problem, size_t block, double *scratch);

/* ln of the sum of all blocks; `scratch` counts the doubles that one block needs. */
isg_status isg_exact_add_blocks(double *log_sum, isg_block_sum *block_sum, const void *problem,
                                size_t n_blocks, size_t scratch, const isg_progress *progress);

/* ISG_ERR_DIVERGED unless the value is finite: very large weights overflow. */
isg_status isg_exact_finish(double *log_z, double value);

/* Visible units with the same row of W and the same field, up to one sign for both, form a class,
   in which only the number of up spins matters; for at most 1e9 combinations of these numbers. */
isg_status isg_exact_class_sums(const isg_rbm *rbm, double *log_z, const isg_progress *progress);

/* Class sums with at most `most_terms` terms. */
isg_status isg_exact_class_sums_within(const isg_rbm *rbm, double most_terms, double *log_z,
                                       const isg_progress *progress);

/* `count` independent samples of p(s), packed, into spins (count, words of 64): for at most 20
   visible units, or where class sums have at most 4e6 terms. */
isg_status isg_exact_samples(const isg_rbm *rbm, size_t count, uint64_t seed, uint64_t *spins);

/* The same by class sums alone. */
isg_status isg_exact_class_samples(const isg_rbm *rbm, size_t count, uint64_t seed,
                                   uint64_t *spins);

/* Quadrature with a step in units of beta^-1/2, for the test of its error. */
isg_status isg_exact_quadrature_with(const isg_rbm *rbm, double relative_step, double *log_z,
                                     double *error, const isg_progress *progress);

#endif
