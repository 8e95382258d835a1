/* score_and_unmap.c - from patterns to an RBM, its log-likelihood, and back to the patterns
 *
 * SPDX-License-Identifier: MIT
 *
 *     cc score_and_unmap.c $(pkg-config --cflags --libs isinglass) -o score_and_unmap && ./score_and_unmap
 */
#include <isinglass.h>
#include <stdio.h>

enum { N = 32, CLASSES = 3, PER_CLASS = 20 };

/* Three square waves, and copies of each with two units flipped. */
static int8_t wave(size_t class, size_t i) {
    return i >> class & 1 ? 1 : -1;
}

static void make_samples(int8_t *spins, int64_t *labels) {
    for (size_t a = 0; a < CLASSES * PER_CLASS; a++) {
        labels[a] = (int64_t)(a % CLASSES);
        for (size_t i = 0; i < N; i++)
            spins[a * N + i] = wave(a % CLASSES, i);
        spins[a * N + 5 * a % N] *= -1;
        spins[a * N + (11 * a + 3) % N] *= -1;
    }
}

int main(void) {
    int8_t spins[CLASSES * PER_CLASS * N];
    int64_t labels[CLASSES * PER_CLASS];
    isg_dataset *data = NULL;
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    isg_unmapping *back = NULL;
    isg_data_term term;
    isg_log_z log_z;
    const isg_log_z_options options = isg_log_z_defaults();
    int code = 1;
    make_samples(spins, labels);

    /* The sign of the mean of every class is a pattern; the projection rule turns them into an
       RBM. */
    if (isg_dataset_create(&data, CLASSES * PER_CLASS, N, spins, labels) != ISG_OK ||
        isg_patterns_from_data(&patterns, data, NULL) != ISG_OK ||
        isg_rbm_from_patterns(&rbm, patterns, NULL, NULL) != ISG_OK)
        goto done;

    /* ln p of a sample = -beta H - ln Z. */
    if (isg_rbm_data_term(rbm, data, &term, NULL) != ISG_OK ||
        isg_rbm_log_z(rbm, &options, &log_z) != ISG_OK)
        goto done;
    printf("ln Z = %.4f%s\n", log_z.value, log_z.method == ISG_LOG_Z_EXACT ? ", exactly" : "");
    printf("mean ln p of %zu samples = %.4f; of free spins, %.4f\n", term.samples,
           term.mean - log_z.value, -N * 0.69314718056);

    /* And back: which binary patterns span the weights? */
    if (isg_unmap(&back, rbm, NULL) != ISG_OK)
        goto done;
    const isg_unmap_report report = isg_unmapping_describe(back);
    printf("%zu patterns found, %s\n", report.n_patterns,
           report.verdict == ISG_BINARIZATION_EXACT ? "exactly" : "approximately");
    for (size_t mu = 0; mu < report.n_patterns; mu++)
        printf("class %s: %zu units differ from its pattern\n",
               isg_patterns_label(isg_unmapping_patterns(back), mu),
               isg_unmapping_pattern(back, mu).bits_changed);
    code = 0;
done:
    if (code != 0)
        fprintf(stderr, "score_and_unmap: %s\n", isg_error_message());
    isg_unmapping_free(back);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
    isg_dataset_free(data);
    return code;
}
