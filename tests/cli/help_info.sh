# Help outranks other mistakes, wherever it stands, but not behind "--".
try info -h
try info --help
isinglass info --help >help
isinglass --help info | cmp help -
isinglass --seed 3 --help --json info | cmp help -
isinglass info --seed --help | cmp help -
isinglass info --bogus --help surplus | cmp help -
isinglass info -h --help | cmp help -
try info -- --help
try inof --help
try -h nonsense
