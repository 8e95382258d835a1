/* split.h - ln Z as deep states and the rest
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_SPLIT_H
#define ISG_SPLIT_H

#include "log_z/population.h"

/* The wells at one beta. */
typedef struct isg_well_list {
    isg_balls balls;
    double *log_z; /* (count): of each, mirror image included */
} isg_well_list;

void isg_well_list_release(isg_well_list *list);

/* ln Z at betas (n), in any order, into out (n): the wells of deep states by confined chains, all
   other states by population annealing. `wells`, unless NULL, receives those at the last of the
   sorted betas; release it. */
isg_status isg_split_log_z(const isg_rbm *rbm, const isg_log_z_options *options,
                           const double *betas, size_t n, isg_log_z *out, isg_well_list *wells,
                           const isg_progress *progress);

/* isg_rbm_log_z(), which leaves the list of wells as it was if the method does not have any. */
isg_status isg_rbm_log_z_wells(const isg_rbm *rbm, const isg_log_z_options *options, isg_log_z *out,
                               isg_well_list *wells, const isg_progress *progress);

/* The same by population annealing alone. */
isg_status isg_population_log_z(const isg_rbm *rbm, const isg_log_z_options *options,
                                const double *betas, size_t n, isg_log_z *out,
                                const isg_progress *progress);

#endif
