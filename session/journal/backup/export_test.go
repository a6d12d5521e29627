package backup

import "hash/crc32"

// Sum returns the sum that stands behind a record.
func Sum(record []byte) uint32 { return crc32.Checksum(record, table) }
