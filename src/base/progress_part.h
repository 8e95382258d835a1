/* progress_part.h - the progress of one part of a longer task
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_PROGRESS_PART_H
#define ISG_PROGRESS_PART_H

#include "base/status.h"

/* Reports progress to `whole` (if not NULL), scaled to the range from `from` to `to`. */
typedef struct isg_part {
    const isg_progress *whole;
    double from, to;
    isg_progress progress;
} isg_part;

const isg_progress *isg_part_of(isg_part *part, const isg_progress *whole, double from, double to);

/* Reports completion, even if less work was done than planned. ISG_ERR_CANCELLED if the caller
   cancels; `what` begins the sentence. */
isg_status isg_progress_end(const isg_progress *progress, const char *what);

#endif
