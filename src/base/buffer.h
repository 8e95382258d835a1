/* buffer.h - how much is read at a time
 *
 * SPDX-License-Identifier: MIT
 *
 * Readers work through their files by pieces of this size, and refuse lines and fields of text beyond
 * it. Fuzzing builds with a few hundred bytes, so that its small inputs meet the ends of buffers and
 * the limits too.
 */
#ifndef ISG_BUFFER_H
#define ISG_BUFFER_H

#ifndef ISG_BUFFER_BYTES
#define ISG_BUFFER_BYTES (1 << 16)
#endif

#endif
