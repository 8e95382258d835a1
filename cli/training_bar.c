/* training_bar.c - training with the epoch and the error shown
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/training_bar.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/progress.h"

typedef struct training_bar {
    progress bar;
    const isg_run *run;
    size_t epochs;
    double share; /* of them, that this call does */
    const char *note;
} training_bar;

static bool show_epoch(void *user, double fraction) {
    training_bar *shown = user;
    const isg_run_info info = isg_run_describe(shown->run);
    char text[120];
    const uint64_t epoch = info.state.epochs + (info.state.batch > 0);
    int length = snprintf(text, sizeof text, "epoch %" PRIu64 " of %zu%s", epoch, shown->epochs,
                          shown->note ? shown->note : "");
    if (info.n_rows > 1) /* runs of experts have no rows */
        length += snprintf(text + length, sizeof text - (size_t)length, ", error %.4f",
                           info.rows[info.n_rows - 1].reconstruction_error);
    const isg_equilibrium_info *jumps = &info.equilibrium;
    if (info.has_equilibrium && jumps->is_jumping && jumps->proposed > 0)
        snprintf(text + length, sizeof text - (size_t)length, ", %.0f %% of jumps accepted",
                 100 * (double)jumps->accepted / (double)jumps->proposed);
    else if (info.has_equilibrium)
        snprintf(text + length, sizeof text - (size_t)length,
                 jumps->fits > 0 && !jumps->is_jumping ? ", no jumps" : ", fitting a mixture");
    return progress_update(&shown->bar, shown->share * fraction, text);
}

isg_status train_with_bar(isg_run *run, size_t until, size_t epochs, size_t n_samples,
                          const char *note, bool is_quiet) {
    const isg_train_state state = isg_run_describe(run).state;
    const double all = (double)epochs;
    training_bar shown = {.run = run, .epochs = epochs, .share = (double)until / all, .note = note};
    const isg_progress callback = {show_epoch, &shown};
    progress_start(&shown.bar, is_quiet, "training");
    progress_measure(&shown.bar, all * (double)n_samples, "samples");
    shown.bar.origin = ((double)state.epochs + (double)state.batch / (double)state.n_batches) / all;
    const isg_status status = isg_run_train(run, until, &callback);
    progress_finish(&shown.bar);
    return status;
}
