/* directory.h - a directory that one process at a time may work in
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_DIRECTORY_H
#define ISG_DIRECTORY_H

#include "base/status.h"

/* One that is there already is fine, and *is_new then false; its parent must be there. */
isg_status isg_directory_create(const char *path, bool *is_new);
void isg_directory_remove(const char *path); /* if it is empty; else it stays */

/* "directory/name", for the caller to release; NULL with the message set if there is no memory. */
char *isg_join_path(const char *directory, const char *name);

bool isg_path_exists(const char *path);

/* A file that is not there is fine. */
isg_status isg_remove_file(const char *path);

/* Removes what isg_atomic_file leaves behind of `name` in a directory when its process is killed.
   Only for who may be sure that nobody else writes that file now. */
void isg_remove_temporaries(const char *directory, const char *name);

typedef struct isg_lock isg_lock;

/* Makes the file and locks it. The lock goes with the process, however that ends, even if the file
   then stays. ISG_ERR_IO, naming the process, if another one has it, or this one already. */
isg_status isg_lock_acquire(isg_lock **out, const char *path);
void isg_lock_release(isg_lock *lock); /* removes the file; NULL is fine */

#endif
