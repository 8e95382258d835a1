/* mixture_log_z.h - ln Z by importance sampling of lambda from a mixture of Gaussians
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_MIXTURE_LOG_Z_H
#define ISG_MIXTURE_LOG_Z_H

#include "isinglass/log_z.h"
#include "sample/sample.h"

/* ln Z; `options` may be NULL. */
isg_status isg_mixture_log_z(const isg_rbm *rbm, const isg_mixture_options *options, isg_log_z *out,
                             const isg_progress *progress);

/* The last step of it: draws, and looks for regions that the Gaussians do not cover. */
isg_status isg_mixture_finish(isg_mixture *mixture, isg_log_z *out);

#endif
