/* progress_part.h - the progress of one part of a longer task
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_PROGRESS_PART_H
#define ISG_PROGRESS_PART_H

#include "base/status.h"

/* Reports to `whole`, if that is not NULL, as the work from `from` to `to` of it. */
typedef struct isg_part {
    const isg_progress *whole;
    double from, to;
    isg_progress progress;
} isg_part;

const isg_progress *isg_part_of(isg_part *part, const isg_progress *whole, double from, double to);

/* All is done, if less than planned too. ISG_ERR_CANCELLED if the caller wants none of it; `what`
   begins the sentence. */
isg_status isg_progress_end(const isg_progress *progress, const char *what);

#endif
