/* describe.c - load a data set and say what is in it
 *
 * SPDX-License-Identifier: MIT
 *
 *     cc describe.c $(pkg-config --cflags --libs isinglass) -o describe && ./describe votes.npz
 */
#include <isinglass.h>
#include <stdio.h>

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: describe FILE\n");
        return 2;
    }
    isg_dataset *data = NULL;
    if (isg_dataset_load(&data, argv[1], NULL, NULL) != ISG_OK) {
        fprintf(stderr, "describe: %s\n", isg_error_message());
        return 1;
    }
    const isg_dataset_info info = isg_dataset_describe(data);
    printf("%zu samples of %zu spins, %.1f %% of them +1\n", info.n_samples, info.n_visible,
           100 * isg_dataset_positive_fraction(data));
    for (size_t c = 0; c < info.n_classes; c++)
        printf("%s: %zu\n", isg_dataset_class_name(data, c), isg_dataset_class_size(data, c));
    isg_dataset_free(data);
    return 0;
}
