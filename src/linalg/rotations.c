/* rotations.c - plane rotations, collected and applied together
 *
 * SPDX-License-Identifier: MIT
 *
 * The iterations for singular values and eigenvalues use only two or three numbers of every row;
 * the vectors, which are most of the work, are updated later. A rotation of rows does not mix
 * columns, so threads may share them out.
 */
#include "base/memory.h"
#include "base/threads.h"
#include "linalg/dense.h"

enum {
    CAPACITY = 8192,
    STRIP =
        128 /* columns: two rows fit in a first-level cache, all of them in a second-level one */
};

struct isg_rotation {
    size_t i, j;
    double c, s;
};

isg_status isg_rotations_start(isg_rotations *rotations, isg_matd rows) {
    *rotations = (isg_rotations){.rows = rows};
    return ISG_ALLOCATE(rotations->list, CAPACITY);
}

void isg_rotations_release(isg_rotations *rotations) {
    isg_release(rotations->list);
}

void isg_rotations_flush(isg_rotations *rotations) {
    const isg_kernels *kernels = isg_kernels_get();
    const isg_matd rows = rotations->rows;
    const bool is_large = (double)rotations->count * (double)rows.cols > 1e5;
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size()) if (is_large)
    for (size_t col = 0; col < rows.cols; col += STRIP) {
        const size_t width = rows.cols - col < STRIP ? rows.cols - col : STRIP;
        for (size_t k = 0; k < rotations->count; k++) {
            const struct isg_rotation *r = &rotations->list[k];
            kernels->rotate(width, r->c, r->s, isg_row(rows, r->i) + col,
                            isg_row(rows, r->j) + col);
        }
    }
    rotations->count = 0;
}

void isg_rotations_add(isg_rotations *rotations, size_t i, size_t j, double c, double s) {
    rotations->list[rotations->count++] = (struct isg_rotation){i, j, c, s};
    if (rotations->count == CAPACITY)
        isg_rotations_flush(rotations);
}

double isg_find_rotation(double f, double g, double *c, double *s) {
    const double size = fmax(fabs(f), fabs(g));
    if (size == 0) {
        *c = 1;
        *s = 0;
        return 0;
    }
    /* Squares may neither overflow nor vanish; a power of 2 costs no accuracy. */
    int exponent = 0;
    frexp(size, &exponent);
    const double factor =
        exponent > 400 || exponent < -400 ? ldexp(1, exponent < -1000 ? 1000 : -exponent) : 1;
    const double x = f * factor, y = g * factor, root = sqrt(x * x + y * y);
    *c = x / root;
    *s = y / root;
    /* For small angles c always rounds to 1, and thousands of rotations would lengthen rows. */
    const double excess = (1 - *c * *c - *s * *s) / 2;
    *c += *c * excess;
    *s += *s * excess;
    return root / factor;
}
