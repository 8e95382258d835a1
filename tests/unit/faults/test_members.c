/* test_members.c - files of ours in which one member is not what it should be
 *
 * SPDX-License-Identifier: MIT
 *
 * Python takes a good file and writes it again with one member replaced, so that its checksums are
 * right and only the reader itself can notice. Nothing is handed out of a file that is refused.
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <sys/stat.h>

#include "helper_experts.h"
#include "helper_scratch.h"
#include "rbm/rbm.h"
#include "train/train.h"

enum { HIDDEN = 3, BATCH = 10 };

static isg_dataset *data;

/* ---- readers ------------------------------------------------------------------------------------- */

static isg_status read_patterns(const char *path) {
    isg_patterns *found = NULL;
    const isg_status status = isg_patterns_load(&found, path);
    assert_true((found != NULL) == (status == ISG_OK));
    isg_patterns_free(found);
    return status;
}

static isg_status read_rbm(const char *path) {
    isg_rbm *found = NULL;
    const isg_status status = isg_rbm_load(&found, path);
    assert_true((found != NULL) == (status == ISG_OK));
    isg_rbm_free(found);
    return status;
}

static isg_status read_classifier(const char *path) {
    isg_classifier *found = NULL;
    const isg_status status = isg_classifier_load(&found, path);
    assert_true((found != NULL) == (status == ISG_OK));
    isg_classifier_free(found);
    return status;
}

static isg_status read_deep(const char *path) {
    isg_deep_model *found = NULL;
    const isg_status status = isg_deep_model_load(&found, path);
    assert_true((found != NULL) == (status == ISG_OK));
    isg_deep_model_free(found);
    return status;
}

static isg_train_options train_options(void) {
    isg_train_options options = isg_train_defaults();
    options.batch_size = BATCH;
    options.gibbs_steps = 1;
    options.persistent = options.fields = true;
    return options;
}

static isg_train_options jumping_options(void) {
    isg_train_options options = train_options();
    options.equilibrium = true;
    options.jumps = 1;
    options.chains = 20;
    return options;
}

static isg_train_options kept_options(void) {
    isg_train_options options = train_options();
    options.constraint = ISG_CONSTRAINT_STIEFEL;
    options.learn_beta = true;
    return options;
}

static isg_status read_training(const char *path, const isg_train_options options) {
    isg_rbm *rbm = NULL;
    isg_trainer *trainer = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, CLASS_UNITS, HIDDEN, 2, 0.1, 5));
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    const double before = rbm->weights[0];
    const isg_status status = isg_trainer_load(trainer, path);
    assert_true((rbm->weights[0] == before) == (status != ISG_OK));
    assert_true((isg_trainer_describe(trainer).epochs == 0) == (status != ISG_OK));
    /* It is still good for training. */
    assert_ok(isg_trainer_update(trainer));
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    return status;
}

static isg_status read_trainer(const char *path) {
    return read_training(path, train_options());
}

static isg_status read_jumping(const char *path) {
    return read_training(path, jumping_options());
}

static isg_status read_kept(const char *path) {
    return read_training(path, kept_options());
}

static isg_expert_options expert_options(void) {
    isg_expert_options options = isg_expert_defaults();
    options.per_class = 1;
    options.train = train_options();
    return options;
}

static isg_status read_experts(const char *path) {
    const isg_expert_options options = expert_options();
    isg_experts *experts = NULL;
    assert_ok(isg_experts_create(&experts, data, &options, NULL));
    const isg_status status = isg_experts_load(experts, path);
    isg_experts_free(experts);
    return status;
}

static isg_run_options run_options(void) {
    isg_run_options options = isg_run_defaults();
    options.train = train_options();
    return options;
}

/* A run with this as its only checkpoint. */
static isg_status read_run(const char *path) {
    const isg_run_options options = run_options();
    isg_run *run = NULL;
    const char *where = in(directory, "run");
    assert_int_equal(mkdir(where, 0777), 0);
    assert_int_equal(rename(path, in(directory, "run/checkpoint-1.npz")), 0);
    assert_ok(isg_run_open(&run, where, false));
    const isg_status status = isg_run_resume(run, data, &options);
    assert_true((isg_run_rbm(run) != NULL) == (status == ISG_OK));
    isg_run_close(run);
    assert_int_equal(remove(in(directory, "run/checkpoint-1.npz")), 0);
    remove(in(directory, "run/model.npz"));
    remove(in(directory, "run/epochs.csv"));
    assert_int_equal(remove(where), 0);
    return status;
}

/* ---- the table ----------------------------------------------------------------------------------- */

/* What is put in place of a member: an expression of Python, in which `old` is what was there (an array,
   or a dictionary), ... without X is that without a key, and None takes the member away. */
typedef struct row {
    const char *file;
    isg_status (*read)(const char *path);
    const char *member, *value;
    isg_status status;
    const char *sentence; /* NULL: it is fine */
} row;

#define PATTERNS   "patterns.npz", read_patterns
#define MODEL      "model.npz", read_rbm
#define CLASSIFIER "classifier.npz", read_classifier
#define DEEP       "deep.npz", read_deep
#define TRAINER    "trainer.npz", read_trainer
#define JUMPING    "jumping.npz", read_jumping
#define KEPT       "kept.npz", read_kept
#define EXPERTS    "experts.npz", read_experts
#define RUN        "checkpoint.npz", read_run
#define FINE       ISG_OK, NULL
#define BAD        ISG_ERR_FORMAT

static const row rows[] = {
    {PATTERNS, "meta.json", "old", FINE},
    {PATTERNS, "meta.json", "None", FINE},
    {PATTERNS, "meta.json", "{}", FINE},
    {PATTERNS, "meta.json", "without('image_width')", FINE},
    {PATTERNS, "meta.json", "old | {'version': 3}", BAD, "expected a text for \"version\""},
    {PATTERNS, "meta.json", "old | {'version': '99.1'}", ISG_ERR_VERSION,
     "was written by version 99.1, but this is version"},
    {PATTERNS, "meta.json", "old | {'image_height': '7'}", BAD,
     "expected a whole number for \"image_height\", found something else"},
    {PATTERNS, "meta.json", "old | {'image_width': 1.5}", BAD,
     "expected a whole number for \"image_width\", found something else"},
    {PATTERNS, "meta.json", "old | {'image_height': -7}", BAD, "an image of impossible size"},
    {PATTERNS, "meta.json", "old | {'image_width': -7}", BAD, "an image of impossible size"},
    {PATTERNS, "meta.json", "old | {'image_height': 2**31}", BAD, "an image of impossible size"},
    {PATTERNS, "meta.json", "old | {'image_width': 2**31}", BAD, "an image of impossible size"},
    {PATTERNS, "meta.json", "[]", BAD, "expected a JSON object, found something else"},

    {PATTERNS, "xi", "None", BAD, "expected an array \"xi\""},
    {PATTERNS, "xi", "old[:, 0]", BAD,
     "xi: expected units x patterns, found 70 numbers in 1 dimensions"},
    {PATTERNS, "xi", "old[:0]", BAD, "found 0 numbers in 2 dimensions"},
    {PATTERNS, "xi", "old[:, :0]", BAD, "found 0 numbers in 2 dimensions"},
    {PATTERNS, "xi", "old * 2", BAD, "xi, row 1, column 1: expected +1 or -1, found"},
    {PATTERNS, "xi", "old.astype(str)", BAD, "expected numbers, found text"},

    {PATTERNS, "labels", "None", FINE},
    {PATTERNS, "labels", "np.array([3.0, -1.0, 2.0])", FINE},
    {PATTERNS, "labels", "old[:2]", ISG_ERR_SHAPE, "has 3 patterns, but 2 labels"},
    {PATTERNS, "labels", "np.array([0.5, 1, 2])", BAD,
     "row 1: expected a whole number as label, found 0.5"},
    {PATTERNS, "labels", "np.array([1, 2, np.nan])", BAD, "row 3: expected a whole number"},
    {PATTERNS, "labels", "np.array([1, 2.0**53, 2])", BAD, "row 2: expected a whole number"},
    {PATTERNS, "labels", "np.array([1, 2, 2**63], np.uint64)", BAD,
     "row 3: the label is too large"},
    {PATTERNS, "labels", "np.ones((3, 2))", BAD, "(1 dimension), found 2 dimensions"},
    {PATTERNS, "labels", "np.ones((3, 1, 1))", BAD, "this looks like an image file"},
    {PATTERNS, "labels", "np.array(['x' * 2000] * 3)", BAD, "expected labels of at most"},
    {PATTERNS, "labels", "np.array(['a', 'x' * 255, 'b'])", FINE},
    {PATTERNS, "labels", "np.array(['a', 'x' * 256, 'b'])", BAD,
     "row 2: the label is longer than 255 bytes"},
    {PATTERNS, "labels", "np.array(['a', ' ', 'b'])", BAD, "row 2: the label is missing"},
    {PATTERNS, "labels", "npy(\"'<U0'\", '(3,)', b'')", BAD, "found dtype '<U0'"},
    {PATTERNS, "labels", "npy(\"'<U1'\", '(3,)', struct.pack('<3I', 65, 0x110000, 66))", BAD,
     "row 2: the label is not valid text"},

    {MODEL, "W", "old", FINE},
    {MODEL, "W", "old[:, 0]", BAD, "W: expected visible units x hidden units"},
    {MODEL, "W", "old[:0]", BAD, "W: expected visible units x hidden units"},
    {MODEL, "W", "old[:, :0]", BAD, "W: expected visible units x hidden units"},
    {MODEL, "R", "None", FINE},
    {MODEL, "R", "old[0]", ISG_ERR_SHAPE, "R: expected hidden units x patterns"},
    {MODEL, "R", "old[:, :0]", ISG_ERR_SHAPE, "R: expected hidden units x patterns"},
    {MODEL, "R", "old[:2]", ISG_ERR_SHAPE, "R: expected 3 rows, a row per column of W, found 2"},
    {MODEL, "R", "old[:, :2]", ISG_ERR_SHAPE, "R: expected 3 columns, as xi has, found 2"},
    {MODEL, "xi", "old[:9]", ISG_ERR_SHAPE, "xi: expected 70 rows, as W has, found 9"},

    {CLASSIFIER, "W", "old", FINE},
    {CLASSIFIER, "W", "old[:, 0]", BAD, "W: expected visible units x hidden units"},
    {CLASSIFIER, "W", "old[:0]", BAD, "W: expected visible units x hidden units"},
    {CLASSIFIER, "W", "old[:, 1:]", ISG_ERR_SHAPE, "W: expected 70 x 3 numbers"},
    {CLASSIFIER, "W", "old * 1e40", BAD, "classifier"},
    {CLASSIFIER, "b", "None", FINE},
    {CLASSIFIER, "b", "old[0]", ISG_ERR_SHAPE, "b: expected 3 x 70 numbers"},
    {CLASSIFIER, "b", "old[1:]", ISG_ERR_SHAPE, "b: expected 3 x 70 numbers"},
    {CLASSIFIER, "b", "old + np.nan", BAD, "b, number 1: expected a finite number, found nan"},
    {CLASSIFIER, "c", "None", FINE},
    {CLASSIFIER, "c", "old[1:]", ISG_ERR_SHAPE, "c: expected 3 numbers"},
    {CLASSIFIER, "hidden", "old.reshape(3, 1)", BAD,
     "hidden: expected whole numbers in one dimension"},
    {CLASSIFIER, "hidden", "old[:0]", BAD, "hidden: expected whole numbers in one dimension"},
    {CLASSIFIER, "hidden", "old * 0", BAD, "hidden: 0 hidden units are impossible"},
    {CLASSIFIER, "hidden", "old * 0 + 2**29", BAD, "hidden: 536870912 hidden units are impossible"},
    {CLASSIFIER, "hidden", "np.array([2**28, 1, 1])", BAD, "hidden: 1 hidden units are impossible"},
    {CLASSIFIER, "is_hidden", "np.array([0])", FINE},
    {CLASSIFIER, "is_hidden", "np.array([3])", BAD, "is_hidden: expected 0, 1 or 2"},
    {CLASSIFIER, "is_hidden", "np.array([1, 1])", BAD, "is_hidden: expected 0, 1 or 2"},
    {CLASSIFIER, "classes", "old[:1]", BAD, "classes: expected at least two"},
    {CLASSIFIER, "classes", "old[::-1]", BAD, "classes: expected each once, in ascending order"},
    {CLASSIFIER, "classes", "old[[0, 1, 1]]", BAD, "expected each once, in ascending order"},
    {CLASSIFIER, "coefficients", "old[:, :2]", ISG_ERR_SHAPE, "coefficients: expected 3 x 3"},
    {CLASSIFIER, "scales", "old * 0", BAD, "classifier"},

    {DEEP, "W", "old.astype(np.float32)", FINE},
    {DEEP, "W", "None", BAD, "expected an array \"W\""},
    {DEEP, "W", "old[:, 1:]", ISG_ERR_SHAPE, "c: expected 2 numbers in one dimension, found 3"},
    {DEEP, "b", "None", FINE},
    {DEEP, "beta", "old * -1", BAD, "beta: expected a number"},
    {DEEP, "classes", "old[:2]", ISG_ERR_SHAPE, "covariances: expected 2 x 3 x 3 numbers"},
    {DEEP, "classes", "old[::-1]", BAD, "classes: expected each once, in ascending order"},
    {DEEP, "classes", "old[:0]", BAD, "classes: expected at least one"},
    {DEEP, "shares", "old[:2]", ISG_ERR_SHAPE, "shares: expected 3 numbers"},
    {DEEP, "shares", "old * [0, 1, 1]", BAD, "shares, number 1: expected a positive number"},
    {DEEP, "shares", "old / 2", BAD, "shares: expected a sum of 1, found 0.5"},
    {DEEP, "means", "old.T[:2]", ISG_ERR_SHAPE, "means: expected 3 x 3 numbers"},
    {DEEP, "means", "old + np.inf", BAD, "means, number 1: expected a finite number, found inf"},
    {DEEP, "means", "np.asfortranarray(old)", FINE},
    {DEEP, "covariances", "None", BAD, "an RBM without a top layer"},
    {DEEP, "covariances", "old[0]", ISG_ERR_SHAPE, "covariances: expected 3 x 3 x 3 numbers"},
    {DEEP, "covariances", "old + np.triu(np.ones((3, 3)), 1)", BAD, "expected symmetric matrices"},
    {DEEP, "covariances", "old - 1e3 * np.eye(3)", BAD, "not positive definite"},
    {DEEP, "covariances", "old * 1e308 * 10", BAD, "expected a finite number"},
    {DEEP, "top", "old[:2]", ISG_ERR_SHAPE, "top: expected 3 numbers"},
    {DEEP, "top", "old * [1, 1, 3] + [0, 0, 3]", BAD, "top: expected a beta, a shrinkage"},
    {DEEP, "top", "old * [-1, 1, 1]", BAD, "top: expected a beta, a shrinkage"},
    {DEEP, "meta.json", "None", FINE},

    {TRAINER, "W", "old", FINE},
    {TRAINER, "W", "old * 1e40", BAD, "trainer"},
    {TRAINER, "W", "old.astype(np.float32)", BAD,
     "W: its shape or type is not that of the training"},
    {TRAINER, "b", "old[1:]", BAD, "b: its shape or type is not that of the training"},
    {TRAINER, "chains", "old[1:]", BAD, "chains: its shape or type is not that of the training"},
    {TRAINER, "chains", "old | 1", BAD, "chains: row 0 has more than 70 spins"},
    {TRAINER, "training.json", "without('epochs')", BAD,
     "expected a whole number for \"epochs\", found nothing"},
    {TRAINER, "training.json", "without('updates')", BAD, "\"updates\", found nothing"},
    {TRAINER, "training.json", "without('batch')", BAD, "\"batch\", found nothing"},
    {TRAINER, "training.json", "without('wrong_spins')", BAD, "\"wrong_spins\", found nothing"},
    {TRAINER, "training.json", "without('format')", BAD, "\"format\", found nothing"},
    {TRAINER, "training.json", "old | {'format': 0}", BAD, "found 0"},
    {TRAINER, "training.json", "old | {'format': 99}", ISG_ERR_VERSION, "by a later version"},
    {TRAINER, "training.json", "old | {'epochs': -1}", BAD, "cannot be number"},
    {TRAINER, "training.json", "old | {'batch': -1}", BAD, "cannot be number"},
    {TRAINER, "training.json", "old | {'updates': -1}", BAD, "cannot be number"},
    {TRAINER, "training.json", "old | {'wrong_spins': -1}", BAD, "with -1 wrong spins"},
    {TRAINER, "training.json", "old | {'wrong_spins': 10**6}", BAD, "with 1000000 wrong spins"},
    {TRAINER, "training.json", "old | {'updates': 2**60, 'epochs': 2**57}", BAD, "cannot be"},
    {TRAINER, "training.json", "old | {'batch': 8, 'updates': 16}", BAD, "cannot be number 8"},
    {TRAINER, "training.json", "old | {'updates': 9}", BAD, "update 9 cannot be number 0"},
    {TRAINER, "training.json", "old | {'epochs': 2}", BAD, "cannot be number 0 of epoch 2"},
    {TRAINER, "training.json", "whole_as_text(old)", BAD, "expected a whole number for"},

    {JUMPING, "equilibrium.json", "old", FINE},
    {JUMPING, "equilibrium.json", "None", BAD, "equilibrium.json"},
    {JUMPING, "equilibrium.json", "without('next_fit')", BAD, "\"next_fit\", found nothing"},
    {JUMPING, "equilibrium.json", "without('reason')", BAD, "\"reason\", found nothing"},
    {JUMPING, "equilibrium.json", "without('beta')", BAD, "\"beta\", found nothing"},
    {JUMPING, "equilibrium.json", "old | {'reason': 'x' * 1000}", FINE},
    {JUMPING, "equilibrium.json", "old | {'beta': -2.0}", BAD, "beta -2 is not possible"},
    {JUMPING, "equilibrium.json", "old | {'fits': -1}", BAD, "fits: expected a number from 0 up"},
    {JUMPING, "equilibrium.json", "old | {'next_fit': 0}", BAD, "the next due at 0"},
    {JUMPING, "equilibrium.json", "old | {'next_fit': 2**40}", BAD, "the next due at"},
    {JUMPING, "equilibrium.json", "old | {'updates': 99}", BAD, "cannot have 99 with jumps"},
    {JUMPING, "equilibrium.json", "old | {'accepted': 2**50}", BAD, "cannot have"},
    {JUMPING, "equilibrium.json", "old | {'refused': 2}", BAD, "cannot have"},
    {JUMPING, "equilibrium.json", "old | {'failures': 1}", BAD, "cannot have"},
    {JUMPING, "equilibrium.json", "old | {'failures': 1, 'refused': 1}", FINE},
    {JUMPING, "equilibrium.json", "old | {'fits': 0}", FINE},
    {JUMPING, "fitted.W", "None", BAD, "expected an array \"fitted.W\""},
    {JUMPING, "fitted.W", "old[1:]", BAD, "fitted.W: its shape or type is not that"},
    {JUMPING, "fitted.W", "old + np.nan", FINE},
    {JUMPING, "fitted.b", "old[1:]", BAD, "fitted.b: its shape or type is not that"},
    {JUMPING, "fitted.c", "old.astype(np.float32)", BAD, "fitted.c: its shape or type is not that"},
    {JUMPING, "training.json", "without('jumps')", ISG_ERR_SHAPE, "for chains without jumps"},
    {JUMPING, "training.json", "without('chains')", ISG_ERR_SHAPE, "another number of persistent"},

    {KEPT, "training.json", "without('learned_beta')", ISG_ERR_SHAPE, "a beta that is fixed"},
    {KEPT, "training.json", "old | {'learned_beta': 0}", BAD, "learned_beta cannot be 0"},
    {KEPT, "training.json", "old | {'learned_beta': 1e31}", BAD, "learned_beta cannot be 1e+31"},
    {KEPT, "training.json", "old | {'learned_beta': 'warm'}", BAD, "learned_beta"},
    {KEPT, "training.json", "old | {'learned_beta': 3}", FINE},
    {KEPT, "training.json", "without('constraint')", ISG_ERR_SHAPE, "for constraint none"},
    {KEPT, "training.json", "old | {'constraint': 'span'}", ISG_ERR_SHAPE, "for constraint span"},
    {KEPT, "training.json", "old | {'constraint': 1}", BAD, "constraint"},
    {KEPT, "W", "2 * old", FINE},
    {KEPT, "W", "old * 1e40", BAD, "kept"},

    {EXPERTS, "expert-1.training.json", "old", FINE},
    {EXPERTS, "expert-1.training.json", "later(old, 1)", BAD,
     "the experts are not from one training"},
    {EXPERTS, "expert-0.training.json", "later(old, 1)", FINE},
    {EXPERTS, "expert-0.training.json", "later(old, 2)", BAD,
     "the experts are not from one training"},

    {RUN, "saves", "old", FINE},
    {RUN, "saves", "np.array([1, 2])", BAD, "saves: expected a number"},
    {RUN, "saves", "np.array(-1)", BAD, "saves: expected a number"},
    {RUN, "saves", "None", BAD, "expected an array \"saves\""},
    {RUN, "seconds", "np.array([1.0, 2.0])", BAD, "seconds: expected a number"},
    {RUN, "seconds", "np.array(-1.0)", BAD, "seconds: expected a number"},
    {RUN, "seconds", "np.array(np.nan)", BAD, "seconds: expected a number"},
    {RUN, "epochs", "old[0]", BAD, "epochs: not a row for each of 1 epochs"},
    {RUN, "epochs", "old[:, 1:]", BAD, "epochs: not a row for each"},
    {RUN, "epochs", "old[:1]", BAD, "epochs: not a row for each"},
    {RUN, "epochs", "old[[0, 1, 1]]", BAD, "epochs: not a row for each"},
    {RUN, "epochs", "old[::-1]", BAD, "epochs: not a row for each"},
    {RUN, "epochs", "old + [[0] * 6, [0, 1] + [0] * 4]", BAD, "epochs: not a row for each"},
    {RUN, "epochs", "old - [[0] * 6, [0, 0, 1e6] + [0] * 3]", BAD, "epochs: not a row for each"},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* ---- the files ----------------------------------------------------------------------------------- */

static void make_training(const char *name, const isg_train_options options) {
    isg_rbm *rbm = NULL;
    isg_trainer *trainer = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, CLASS_UNITS, HIDDEN, 2, 0.1, 5));
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
    assert_true(isg_trainer_equilibrium(trainer).is_jumping == options.equilibrium);
    assert_ok(isg_trainer_save(trainer, in(directory, name)));
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
}

static void make_files(void) {
    const isg_pattern_options pattern_options = isg_pattern_defaults();
    const isg_mapping_options mapping = isg_mapping_defaults();
    const isg_logistic_options logistic = isg_logistic_defaults();
    const isg_expert_options options = expert_options();
    const isg_run_options how = run_options();
    const isg_rbm *rbms[CLASS_COUNT];
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL, *start = NULL;
    isg_experts *experts = NULL;
    isg_classifier *classifier = NULL;
    isg_deep_model *deep = NULL;
    isg_run *run = NULL;
    assert_ok(isg_patterns_from_data(&patterns, data, &pattern_options, NULL));
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, &mapping, NULL));
    assert_ok(isg_rbm_set_image(rbm, 7, CLASS_UNITS / 7));
    assert_ok(isg_rbm_save(rbm, in(directory, "model.npz"), 1, "test"));
    assert_ok(isg_patterns_save(patterns, in(directory, "patterns.npz"), 1, "test"));
    assert_ok(isg_deep_model_fit(&deep, rbm, data, NULL, NULL));
    assert_ok(isg_deep_model_save(deep, in(directory, "deep.npz"), 1, "test"));
    assert_ok(isg_experts_create(&experts, data, &options, NULL));
    for (size_t k = 0; k < CLASS_COUNT; k++) {
        assert_ok(isg_experts_step(experts, NULL));
        rbms[k] = isg_experts_rbm(experts, k);
    }
    assert_ok(isg_experts_save(experts, in(directory, "experts.npz")));
    assert_ok(isg_classifier_fit(&classifier, rbms, CLASS_COUNT, ISG_FEATURES_HIDDEN, data,
                                 &logistic, NULL, NULL));
    assert_ok(isg_classifier_save(classifier, in(directory, "classifier.npz"), 1, "test"));
    make_training("jumping.npz", jumping_options());
    make_training("kept.npz", kept_options());
    assert_ok(isg_rbm_start_normal(&start, CLASS_UNITS, HIDDEN, 2, 0.1, 5));
    assert_ok(isg_run_open(&run, in(directory, "made"), true));
    assert_ok(isg_run_begin(run, "{}\n", start, data, &how));
    assert_ok(isg_run_train(run, 1, NULL));
    isg_run_close(run);
    isg_classifier_free(classifier);
    isg_deep_model_free(deep);
    isg_experts_free(experts);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

static const char python[] =
    "import json, os\n"
    "def npy(descr, shape, content):\n"
    "    head = f\"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\\n\".encode()\n"
    "    return b'\\x93NUMPY\\1\\0' + struct.pack('<H', len(head)) + head + content\n"
    "def whole_as_text(old):\n"
    "    return {k: str(v) if type(v) is int and k not in own else v for k, v in old.items()}\n"
    "own = 'format epochs updates batch wrong_spins'.split()\n"
    "def later(old, epochs):\n"
    "    return old | {'epochs': old['epochs'] + epochs, 'updates': old['updates'] // "
    "old['epochs']\n"
    "                  * (old['epochs'] + epochs)}\n"
    "def pack(value):\n"
    "    if isinstance(value, (dict, list)): return json.dumps(value).encode()\n"
    "    if isinstance(value, bytes): return value\n"
    "    out = io.BytesIO(); np.save(out, value); return out.getvalue()\n"
    "def replace(number, file, member, code):\n"
    "    name = member if member.endswith('.json') else member + '.npy'\n"
    "    with zipfile.ZipFile(file) as old, zipfile.ZipFile(f'{number}-{file}', 'w') as new:\n"
    "        for item in old.namelist():\n"
    "            content = old.read(item)\n"
    "            if item == name:\n"
    "                was = (json.loads(content) if name.endswith('.json')\n"
    "                       else np.load(io.BytesIO(content)))\n"
    "                drop = lambda key: {k: v for k, v in was.items() if k != key}\n"
    "                value = eval(code, globals() | {'old': was, 'without': drop})\n"
    "                if value is None: continue\n"
    "                content = pack(value)\n"
    "                seen.add(number)\n"
    "            new.writestr(item, content)\n"
    "seen = set()\n"
    "a, b = np.load('made/checkpoint-1.npz'), np.load('made/checkpoint-2.npz')\n"
    "newest = 1 if a['saves'] > b['saves'] else 2\n"
    "os.rename(f'made/checkpoint-{newest}.npz', 'checkpoint.npz')\n"
    "open('trainer.npz', 'wb').write(open('checkpoint.npz', 'rb').read())\n";

static int set_up(void **state) {
    isg_set_threads(1);
    make_directory(state);
    data = make_classes(1);
    make_files();
    FILE *script = python_begin(directory);
    fputs(python, script);
    for (size_t k = 0; k < N_ROWS; k++)
        fprintf(script, "replace(%zu, '%s', '%s', r'''%s''')\n", k, rows[k].file, rows[k].member,
                rows[k].value);
    python_end(directory, script);
    return 0;
}

static int tear_down(void **state) {
    isg_dataset_free(data);
    return remove_directory(state);
}

static void members(void **state) {
    (void)state;
    size_t wrong = 0;
    for (size_t k = 0; k < N_ROWS; k++) {
        const row *r = rows + k;
        char path[256];
        snprintf(path, sizeof path, "%s/%zu-%s", directory, k, r->file);
        const isg_status status = r->read(path);
        const char *message = status == ISG_OK ? "" : isg_error_message();
        if (status != r->status || (r->sentence && !strstr(message, r->sentence))) {
            print_error("%s, %s: %s: status %d, '%s'\n", r->file, r->member, r->value, (int)status,
                        message);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Names come back as they were, numbers as numbers. Bytes that are not UTF-8 are taken for Latin-1. */
static void names_of_classes(void **state) {
    (void)state;
    static const struct {
        const char *name, *found; /* NULL: the same */
    } names[] = {
        {"0", NULL},
        {"-5", NULL},
        {"7", NULL},
        {"-", NULL},
        {"-0", NULL},
        {"007", NULL},
        {"123456789012345678", NULL},
        {"1234567890123456789", NULL},
        {"12345678901234567890", NULL},
        {"3rd", NULL},
        {"\xc3\xa9", NULL},
        {"\xe2\x82\xac", NULL},
        {"\xf0\x9f\x98\x80", NULL},
        {"\xe9", "\xc3\xa9"},
        {"\xff", "\xc3\xbf"},
        {"\xe0\x80\xaf", "\xc3\xa0\xc2\x80\xc2\xaf"},             /* too long */
        {"\xf0\x80\x80\xaf", "\xc3\xb0\xc2\x80\xc2\x80\xc2\xaf"}, /* too long */
        {"\xed\xa0\x80", "\xc3\xad\xc2\xa0\xc2\x80"},             /* a surrogate */
        {"\xf4\x90\x80\x80", "\xc3\xb4\xc2\x90\xc2\x80\xc2\x80"}, /* beyond the last */
    };
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        isg_dataset_options options = isg_dataset_defaults();
        const isg_pattern_options how = isg_pattern_defaults();
        isg_dataset *samples = NULL;
        isg_patterns *patterns = NULL, *loaded = NULL;
        char text[64];
        snprintf(text, sizeof text, "%s,1,-1\n", names[k].name);
        options.label_column = "1";
        options.header = ISG_HEADER_NO;
        assert_ok(isg_dataset_load_memory(&samples, "x.csv", text, strlen(text), &options, NULL));
        assert_ok(isg_patterns_from_data(&patterns, samples, &how, NULL));
        assert_string_equal(isg_patterns_label(patterns, 0), names[k].name);
        assert_ok(isg_patterns_save(patterns, in(directory, "names.npz"), 1, "test"));
        assert_ok(isg_patterns_load(&loaded, in(directory, "names.npz")));
        assert_string_equal(isg_patterns_label(loaded, 0),
                            names[k].found ? names[k].found : names[k].name);
        isg_patterns_free(loaded);
        isg_patterns_free(patterns);
        isg_dataset_free(samples);
    }
}

/* A class all of whose samples were left out is still known by name, but cannot be learned. */
static void classes_without_samples(void **state) {
    (void)state;
    static const char text[] = "a,1,-1\nb,-1,1\n";
    isg_dataset_options options = isg_dataset_defaults();
    const isg_expert_options how = expert_options();
    isg_dataset *samples = NULL;
    isg_experts *experts = NULL;
    options.label_column = "1";
    options.limit = 1;
    assert_ok(isg_dataset_load_memory(&samples, "x.csv", text, sizeof text - 1, &options, NULL));
    assert_int_equal(isg_dataset_describe(samples).n_classes, 2);
    assert_fails(isg_experts_create(&experts, samples, &how, NULL), ISG_ERR_ARGUMENT,
                 "class 'b' has no sample");
    assert_null(experts);
    isg_dataset_free(samples);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(members),
                                       cmocka_unit_test(names_of_classes),
                                       cmocka_unit_test(classes_without_samples)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
