# The help of the data verbs.
try data
try data --help
try data get -h
try data get --help
try data info -h
try data info --help
