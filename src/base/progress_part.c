/* progress_part.c - the progress of one part of a longer task
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/progress_part.h"

static bool report_part(void *user, double fraction) {
    const isg_part *part = user;
    return part->whole->report(part->whole->user, part->from + (part->to - part->from) * fraction);
}

const isg_progress *isg_part_of(isg_part *part, const isg_progress *whole, double from, double to) {
    *part = (isg_part){whole, from, to, {report_part, part}};
    return whole ? &part->progress : NULL;
}

isg_status isg_progress_end(const isg_progress *progress, const char *what) {
    if (progress && !progress->report(progress->user, 1))
        return isg_fail(ISG_ERR_CANCELLED, "%s was cancelled", what);
    return ISG_OK;
}
