/* mixture_log_z.c - ln Z by importance sampling of lambda from a mixture of Gaussians
 *
 * SPDX-License-Identifier: MIT
 *
 * The fit of the mixture, the draws and the verdict on them are those of sample/mixture.c.
 */
#include "log_z/mixture_log_z.h"

#include <assert.h>
#include <math.h>
#include <string.h>

isg_status isg_mixture_finish(isg_mixture *mixture, isg_log_z *out) {
    isg_mixture_verdict found;
    ISG_TRY(isg_mixture_conclude(mixture, &found));
    isg_log_z result = {.value = found.sum.log_z,
                        .error = found.has_error ? found.sum.error : (double)NAN,
                        .method = ISG_LOG_Z_MIXTURE,
                        .samples = found.samples,
                        .ess = found.sum.ess,
                        .modes = found.minima,
                        .laplace = found.laplace,
                        .spread = (double)NAN,
                        .shares = {(double)NAN, (double)NAN},
                        .family = (double)NAN,
                        .bound = -HUGE_VAL,
                        .is_trusted = !*found.reason};
    result.side = result.is_trusted ? ISG_SIDE_BOTH : ISG_SIDE_LOWER;
    static_assert(sizeof result.reason >= sizeof found.reason, "a reason must fit");
    memcpy(result.reason, found.reason, sizeof found.reason);
    *out = result;
    return ISG_OK;
}

isg_status isg_mixture_log_z(const isg_rbm *rbm, const isg_mixture_options *options, isg_log_z *out,
                             const isg_progress *progress) {
    isg_mixture mixture;
    isg_status status = isg_mixture_start(&mixture, rbm, options, progress);
    if (status == ISG_OK)
        status = isg_mixture_finish(&mixture, out);
    isg_mixture_release(&mixture);
    return status;
}
