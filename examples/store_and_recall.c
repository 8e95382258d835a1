/* store_and_recall.c - store three letters in a Hopfield network and recall one from a damaged copy
 *
 * SPDX-License-Identifier: MIT
 *
 *     cc store_and_recall.c $(pkg-config --cflags --libs isinglass) -o store_and_recall && ./store_and_recall
 */
#include <isinglass.h>
#include <stdio.h>

enum { SIDE = 5, N = SIDE * SIDE, LETTERS = 3 };

static const char *const names[LETTERS] = {"C", "H", "T"};
static const char *const letters[LETTERS] = {
    " ####"
    "#    "
    "#    "
    "#    "
    " ####",
    "#   #"
    "#   #"
    "#####"
    "#   #"
    "#   #",
    "#####"
    "  #  "
    "  #  "
    "  #  "
    "  #  ",
};

static void draw(uint64_t spins) {
    for (size_t i = 0; i < N; i++)
        printf("%c%s", spins >> i & 1 ? '#' : '.', i % SIDE == SIDE - 1 ? "\n" : "");
}

int main(void) {
    isg_patterns *patterns = NULL;
    isg_hopfield *network = NULL;
    isg_dynamics_report report;
    double overlaps[LETTERS];
    int8_t xi[N * LETTERS]; /* one pattern per column */
    int code = 1;
    for (size_t i = 0; i < N; i++)
        for (size_t mu = 0; mu < LETTERS; mu++)
            xi[i * LETTERS + mu] = letters[mu][i] == '#' ? 1 : -1;
    if (isg_patterns_create(&patterns, N, LETTERS, xi, names) != ISG_OK ||
        isg_hopfield_create(&network, patterns, NULL) != ISG_OK)
        goto done;

    /* Spins are packed, 64 to a word: flip four of the 25 units of the H. */
    uint64_t state = *isg_patterns_row(patterns, 1) ^ (1U << 0 | 1U << 7 | 1U << 16 | 1U << 22);
    puts("damaged:");
    draw(state);
    if (isg_hopfield_run(network, &state, 1, NULL, &report, NULL) != ISG_OK)
        goto done;
    puts("recalled:");
    draw(state);
    printf("%zu flips, energy %.2f, %s\n", report.flips, report.state.energy,
           report.state.is_stable ? "stable" : "not stable");
    isg_hopfield_overlaps(network, &state, overlaps);
    for (size_t mu = 0; mu < LETTERS; mu++)
        printf("overlap with %s: %+.2f\n", isg_patterns_label(patterns, mu), overlaps[mu]);
    code = 0;
done:
    if (code != 0)
        fprintf(stderr, "store_and_recall: %s\n", isg_error_message());
    isg_hopfield_free(network);
    isg_patterns_free(patterns);
    return code;
}
