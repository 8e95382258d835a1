/* helper_network.h - small projection networks, taken from their definition
 *
 * SPDX-License-Identifier: MIT
 *
 * H(s) = -s^T xi A^-1 xi^T s / 2 - b.s, with A = xi^T xi inverted in long double.
 */
#ifndef HELPER_NETWORK_H
#define HELPER_NETWORK_H

#include "rbm/rbm.h"
#include "theory/machines.h"

enum { MAX_P = 4, KINDS_OF_MACHINE = 3 };

typedef struct network {
    isg_patterns *patterns;
    size_t n, p;
    double beta;
    double *xi;                         /* (n, p) */
    double *field;                      /* (n) or NULL */
    double gram[MAX_P * MAX_P];         /* A */
    double det;                         /* of A */
    long double inverse[MAX_P * MAX_P]; /* A^-1 */
    double eigenvalues[MAX_P];          /* of A, rising */
} network;

/* Random independent patterns, n <= 16. */
network network_create(size_t n, size_t p, double beta, bool has_field);
void network_release(network *net);

double network_energy(const network *net, uint64_t state);

/* One of the machines of appendix C; and the RBM that QR maps the network to. */
isg_machine *network_machine(const network *net, int kind);
isg_rbm *network_rbm(const network *net);

void assert_within(double found, double expected, double bound);

#endif
