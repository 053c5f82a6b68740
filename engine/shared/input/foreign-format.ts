const ZIP = 'PK\x03\x04'
const UTF_16 = 'it is text in UTF-16; save it as UTF-8'
const EXCEL = 'it is an Excel workbook; save its sheet as tab-separated text'

/** First bytes of files that cannot be imported as records, each with the reason. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['BAM\x01', 'alignments are stored by "casemill import bam"'],
  ['BAI\x01', 'it is the index of an alignment file'],
  ['CSI\x01', 'it is the index of an alignment file'],
  ['CRAM', 'alignments are stored by "casemill import cram"'],
  ['\x89HDF\r\n\x1a\n', 'HDF5 files are stored by "casemill import files"'],
  [ZIP, 'it is a ZIP archive; unpack it and give the files in it'],
  ['7z\xbc\xaf\x27\x1c', 'it is a 7-Zip archive; unpack it and give the files in it'],
  ['\x1f\x8b', 'it is compressed with gzip; unpack it'],
  ['BZh', 'it is compressed with bzip2; unpack it, or compress it with gzip'],
  ['\xfd7zXZ', 'it is compressed with xz; unpack it, or compress it with gzip'],
  ['\x28\xb5\x2f\xfd', 'it is compressed with Zstandard; unpack it, or compress it with gzip'],
  ['\xff\xfe', UTF_16],
  ['\xfe\xff', UTF_16],
  ['\xd0\xcf\x11\xe0', EXCEL],
  ['PAR1', 'it is a Parquet file; write it as tab-separated text'],
  ['%PDF', 'it is a PDF document'],
]

/** Matches the beginning of an ASCII text in UTF-16 without a byte order mark. */
const TWO_BYTES = /^(?:[\t -~]\0){4}|^(?:\0[\t -~]){4}/

const HEAD_BYTES = 64 << 10
/** Names of parts of an Excel workbook, which is a ZIP archive. */
const WORKBOOK = /xl\/(workbook|worksheets|theme|styles|sharedStrings|_rels)/

/** Returns why a file of a foreign format is rejected. Undefined if no foreign format is recognised. */
export function foreignFormat(head: Buffer): string | undefined {
  const start = head.toString('latin1', 0, 300)
  if (start.startsWith(ZIP) && WORKBOOK.test(head.toString('latin1', 0, HEAD_BYTES))) return EXCEL
  if (start.startsWith('ustar', 257))
    return 'it is a tar archive; unpack it and give the files in it'
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1]
  return known ?? (TWO_BYTES.test(start) ? UTF_16 : undefined)
}
