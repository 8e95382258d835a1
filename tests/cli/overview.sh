# What the program says about itself.
try
try -h
try --help
try --version
try --version --json
isinglass --help >help
isinglass >/dev/null 2>bare
cmp help bare
