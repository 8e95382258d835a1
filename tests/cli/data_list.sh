# The catalog: what can be fetched, with source and license.
try data list --data-dir nowhere
