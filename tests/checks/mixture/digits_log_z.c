/* digits_log_z.c - ln Z of the Hopfield RBM of some patterns, by a mixture of Gaussians
 *
 * SPDX-License-Identifier: MIT
 *
 *     mixture P.npz BETA...
 *
 * Prints a line "beta ln-Z error effective-samples minima trusted seconds" for each beta, and why
 * if a result is not trusted.
 */
#include <isinglass.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void must(isg_status status) {
    if (status == ISG_OK)
        return;
    fprintf(stderr, "mixture: %s\n", isg_error_message());
    exit(1);
}

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    isg_patterns *patterns = NULL;
    isg_log_z_options way = isg_log_z_defaults();
    way.method = ISG_LOG_Z_MIXTURE;
    if (argc < 3)
        return 2;
    must(isg_patterns_load(&patterns, argv[1]));
    for (int k = 2; k < argc; k++) {
        isg_mapping_options options = isg_mapping_defaults();
        options.beta = strtod(argv[k], NULL);
        isg_rbm *rbm = NULL;
        isg_log_z found;
        must(isg_rbm_from_patterns(&rbm, patterns, &options, NULL));
        const double start = now();
        must(isg_rbm_log_z(rbm, &way, &found, NULL));
        printf("%g %.4f %.4f %.0f %zu %s %.1f %s\n", options.beta, found.value, found.error,
               found.ess, found.modes, found.is_trusted ? "yes" : "no", now() - start,
               found.reason);
        isg_rbm_free(rbm);
    }
    isg_patterns_free(patterns);
    return 0;
}
