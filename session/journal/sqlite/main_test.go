package sqlite_test

import "flag"

var flips = flag.Int("flips", 60, "how many bytes of each file TestAFlippedByteIsNeverSilentLoss flips")
