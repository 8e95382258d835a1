/* ward_alone.c - the time that clustering takes without loading, for ward.sh
 *
 * SPDX-License-Identifier: MIT
 *
 *   ward_alone IMAGES P.npz
 *
 * Takes all images for one class, saves the patterns of its ten clusters, and prints one line of
 * JSON: the seconds from spins to patterns, and the size of every cluster.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <time.h>

#include "isinglass.h"

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    isg_dataset *data = NULL;
    isg_patterns *patterns = NULL;
    isg_pattern_options options = isg_pattern_defaults();
    options.per_class = 10;
    if (argc != 3 || isg_dataset_load(&data, argv[1], NULL, NULL) != ISG_OK) {
        fprintf(stderr, "ward_alone IMAGES P.npz: %s\n", isg_error_message());
        return 1;
    }
    const double start = seconds_now();
    isg_status status = isg_patterns_from_data(&patterns, data, &options, NULL);
    const double seconds = seconds_now() - start;
    if (status == ISG_OK)
        status = isg_patterns_save(patterns, argv[2], 1, "ward_alone");
    if (status != ISG_OK) {
        fprintf(stderr, "%s\n", isg_error_message());
        return 1;
    }
    printf("{\"seconds\": %.4f, \"members\": [", seconds);
    for (size_t mu = 0; mu < options.per_class; mu++)
        printf("%s%zu", mu ? ", " : "", isg_patterns_members(patterns, mu));
    printf("]}\n");
    isg_patterns_free(patterns);
    isg_dataset_free(data);
    return 0;
}
