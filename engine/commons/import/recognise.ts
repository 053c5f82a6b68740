import { isUtf8 } from 'node:buffer'
import { basename } from 'node:path'
import type { DatasetName } from '../datasets/define.ts'
import { looksLikeRecords } from './read-json.ts'
import type { TableKind } from './table-kind.ts'
import { TABLE_KINDS } from './tables/index.ts'

export type SourceKind =
  | { readonly form: 'json' }
  | { readonly form: 'table'; readonly kind: TableKind; readonly separator: '\t' | ',' }
  | { readonly form: 'none'; readonly reason: string }

/** Contents that are told by their first bytes and are no records. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['BAM\x01', 'alignments are stored by "casemill import bam"'],
  ['BAI\x01', 'it is the index of an alignment file'],
  ['CSI\x01', 'it is the index of an alignment file'],
  ['CRAM', 'CRAM files cannot be imported'],
  ['\x89HDF\r\n\x1a\n', 'HDF5 files cannot be imported yet'],
  ['PK\x03\x04', 'it is a ZIP archive; give what is in it'],
  ['%PDF', 'it is a PDF document'],
]

/** Columns by which tables are told that hold no records of the commons. */
const OTHER_TABLES: readonly (readonly [RegExp, string])[] = [
  [
    /^(?=(.*\t)?Hugo_Symbol(\t|$))(?!(.*\t)?Tumor_Seq_Allele2(\t|$))/,
    'a mutation table (MAF) needs columns of place, alleles and sample',
  ],
]

/** What has the columns of no kind and is known all the same. */
const UNKNOWN_TABLES: readonly (readonly [RegExp, string])[] = [
  [
    /(^|\t)(Segment_Mean|Num_Probes|seg\.mean|num\.mark|copy_number)(\t|$)/i,
    'a copy-number table needs columns of place and value, or of genes by samples',
  ],
  [
    /^(symbol|gene_id|gene|)\tTCGA-|(^|\t)fpkm_uq_unstranded(\t|$)/,
    'expression of genes is imported by "casemill import expression"',
  ],
]

/** Rows that a kind may look at. */
const FIRST_ROWS = 100

/** What a file is, told by the beginning of its content. */
export async function recognise(
  head: Buffer,
  path: string,
  as: DatasetName | undefined,
): Promise<SourceKind> {
  if (head.length === 0) return none('it is empty')
  const start = head.toString('latin1', 0, 16)
  for (const [signature, reason] of SIGNATURES) if (start.startsWith(signature)) return none(reason)
  const text = wholeCharacters(head)
  if (text === undefined || text.includes('\0'))
    return none('it is neither JSON nor a table of text')
  const trimmed = text.trimStart()
  if (trimmed.startsWith('[') || trimmed.startsWith('{')) {
    return (await looksLikeRecords(head, as))
      ? { form: 'json' }
      : none('its JSON holds no records of the commons; --as says which they are')
  }
  return recogniseTable(text, basename(path), as)
}

function recogniseTable(text: string, name: string, as: DatasetName | undefined): SourceKind {
  // The last line may be cut through.
  const lines = text.split(/\r?\n/)
  const at = lines.findIndex((each) => each.trim() !== '' && !each.startsWith('#'))
  const line = lines[at] ?? ''
  for (const [pattern, reason] of OTHER_TABLES) if (pattern.test(line)) return none(reason)
  for (const separator of ['\t', ','] as const) {
    const columns = headerColumns(line, separator)
    if (columns.length < 2) continue
    const rows = lines
      .slice(at + 1, -1)
      .slice(0, FIRST_ROWS)
      .map((row) => row.split(separator))
    const kind = TABLE_KINDS.find(({ matches }) => matches(new Set(columns), as, rows))
    if (kind) return { form: 'table', kind, separator }
  }
  for (const [pattern, reason] of UNKNOWN_TABLES) if (pattern.test(line)) return none(reason)
  return none(
    line.includes('\t') || /\.(csv|tsv)(\.gz)?$/i.test(name)
      ? 'its columns are those of no table that is known'
      : 'it is neither JSON nor a table that is known',
  )
}

/** Names of columns, unquoted. */
export function headerColumns(line: string, separator: '\t' | ','): readonly string[] {
  const text = line.replace(/^\ufeff/, '')
  return text.split(separator).map((name) => name.trim().replace(/^"(.*)"$/, '$1'))
}

/** The text of a beginning, without the character that it cuts through; `undefined` for other bytes. */
function wholeCharacters(head: Buffer): string | undefined {
  for (let cut = 0; cut < 4; cut++) {
    const bytes = head.subarray(0, head.length - cut)
    if (isUtf8(bytes)) return bytes.toString('utf8')
  }
  return undefined
}

const none = (reason: string): SourceKind => ({ form: 'none', reason })
