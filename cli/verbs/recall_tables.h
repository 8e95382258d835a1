/* recall_tables.h - the results of a recall protocol
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_RECALL_TABLES_H
#define CLI_RECALL_TABLES_H

#include "cli/verbs/recall_job.h"

typedef struct recall_found {
    isg_recall *recall;
    isg_recall_summary summary;
    double seconds;
    bool has_committor; /* of the samples that ended in no pattern: */
    double committor_overlap;
    size_t n_lost;
    size_t *lost;   /* (n_lost) which samples these are */
    double *shares; /* (n_lost, n_patterns + 1) */
    projection_result projection;
} recall_found;

exit_code recall_show(const recall_job *my, const recall_found *found);

#endif
