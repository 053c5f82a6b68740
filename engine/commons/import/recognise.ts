import { isUtf8 } from 'node:buffer'
import { basename } from 'node:path'
import { foreignFormat } from '../../shared/input/foreign-format.ts'
import { type LineEnd, lineEndOf } from '../../shared/input/lines.ts'
import { cellsOfRow } from '../../shared/input/quoting.ts'
import { visible } from '../../shared/input/visible.ts'
import type { DatasetName } from '../datasets/define.ts'
import { looksLikeRecords } from './read-json.ts'
import { missingColumns, type TableKind } from './table-kind.ts'
import { firstNoCall } from './tables/call-matrix.ts'
import { TABLE_KINDS } from './tables/index.ts'
import { reasonNotImported } from './tables/known-tables.ts'
import { mutationTable } from './tables/mutation-table.ts'
import { nearestKinds } from './tables/nearest-kinds.ts'

export type SourceKind =
  | { readonly form: 'json' }
  | ({ readonly form: 'table'; readonly kind: TableKind } & TableFormat)
  | { readonly form: 'none'; readonly reason: string }

/** How to split the text of a table into rows and cells. */
export interface TableFormat {
  readonly separator: '\t' | ','
  readonly lineEnd: LineEnd
  /** Whether rows begin with a name that has no column in the header, as written by R's `write.table`. */
  readonly hasRowNames: boolean
}

/** Headers of expression tables. Another command imports these. */
const EXPRESSION = /^(symbol|gene_id|gene|)\tTCGA-|(^|\t)fpkm_uq_unstranded(\t|$)/

/** Number of rows that are passed to the check for a kind of table. */
const FIRST_ROWS = 100

/** Expectations about a file from the command line. */
interface Expected {
  /** Dataset of all JSON records, and of tables in the form of search results. */
  readonly as?: DatasetName | undefined
  /** Name of the only kind of table to accept. */
  readonly only?: string | undefined
}

/** Recognises the kind of a file from its first bytes. */
export async function recognise(
  head: Buffer,
  path: string,
  expected: Expected,
): Promise<SourceKind> {
  const { as } = expected
  if (head.length === 0) return none('it is empty')
  const foreign = foreignFormat(head)
  if (foreign !== undefined) return none(foreign)
  if (head.includes(0)) return none('it is neither JSON nor a table of text')
  // A comment may be the first line, behind the mark.
  const text = wholeCharacters(head)?.replace(/^\ufeff/, '')
  if (text === undefined) return none('it is not UTF-8; save it as UTF-8')
  const trimmed = text.trimStart()
  if (trimmed.startsWith('[') || trimmed.startsWith('{')) {
    return (await looksLikeRecords(head, as))
      ? { form: 'json' }
      : none('its JSON has no records of the commons; give their kind by --as')
  }
  return recogniseTable(text, basename(path), expected)
}

function recogniseTable(text: string, name: string, { as, only }: Expected): SourceKind {
  const lineEnd = lineEndOf(text)
  // The last line may be incomplete.
  const lines = text.split(lineEnd).map((each) => each.replace(/\r$/, ''))
  const at = lines.findIndex((each) => each.trim() !== '' && !each.startsWith('#'))
  const line = lines[at] ?? ''
  for (const separator of ['\t', ','] as const) {
    const named = headerColumns(line, separator)
    if (named.length < 2) continue
    const rows = lines
      .slice(at + 1, -1)
      .slice(0, FIRST_ROWS)
      .map((row) => cellsOfRow(row, separator).map(nameIn))
    const hasRowNames = rows.length > 0 && rows.every((row) => isNamed(row, named.length))
    const columns = hasRowNames ? ['', ...named] : named
    const known = new Set(columns)
    const kind = TABLE_KINDS.find(
      (each) =>
        missingColumns(known, each).length === 0 && (each.matches?.(known, as, rows) ?? true),
    )
    if (kind) return { form: 'table', kind, separator, lineEnd, hasRowNames }
    const noCall = firstNoCall(columns, rows)
    if (noCall !== undefined && reasonNotImported(known) === undefined) {
      return none(
        `it has genes as rows, and "${noCall}" in line ${at + 2} or below is no call from -2 to 2; import the thresholded calls of the same run`,
      )
    }
  }
  const other = OTHER_SEPARATORS.find(([mark]) => isKnownBy(line, mark))
  if (other === undefined) return none(reasonFor(line, name, only))
  return none(`its columns are separated by ${other[1]}; save it with tabs or commas between them`)
}

/** Separators that other programs write, with their names. Excel writes semicolons where commas are decimal. */
const OTHER_SEPARATORS = [
  [';', 'semicolons'],
  ['|', 'bars'],
  [' ', 'blanks'],
] as const

/** Returns whether a header has all needed columns of a kind of table if it is split at this separator. */
function isKnownBy(line: string, separator: string): boolean {
  const known = new Set(line.split(separator).map(nameIn))
  if (known.size < 2) return false
  return TABLE_KINDS.some(
    (kind) => kind.needs.length > 0 && missingColumns(known, kind).length === 0,
  )
}

/** Returns why a table of unknown kind is not imported. Names the most similar kinds. */
function reasonFor(line: string, name: string, only: string | undefined): string {
  const isTable = line.includes('\t') || /\.(csv|tsv)(\.gz)?$/i.test(name)
  const columns = new Set(headerColumns(line, line.includes('\t') ? '\t' : ','))
  const known = reasonNotImported(columns)
  if (known !== undefined) return known
  if (EXPRESSION.test(line))
    return 'expression of genes is imported by "casemill import expression"'
  // Only mutation tables have this column.
  const likely = columns.has('Hugo_Symbol') ? [mutationTable] : TABLE_KINDS
  const wanted = TABLE_KINDS.filter((each) => each.name === only)
  const kinds = only === undefined ? likely : wanted
  const [nearest, ...others] = nearestKinds(columns, kinds).map(
    ({ name: kind, missing }) =>
      `${kind} (missing: ${missing.map((each) => `"${each}"`).join(', ')})`,
  )
  if (nearest === undefined) {
    const needed = [...new Set(wanted.flatMap((kind) => missingColumns(new Set(), kind)))]
    if (only !== undefined)
      return `it is no ${only}, which has columns such as ${needed.join(', ')}`
    return isTable
      ? 'its columns are those of no table that is known'
      : 'it is neither JSON nor a table that is known'
  }
  const also = others.map((each) => `, then a ${each}`).join('')
  return `its columns are those of no table that is known; nearest is a ${nearest}${also}`
}

/** Returns whether a row has one cell more than the header, apart from a trailing tab. */
const isNamed = (row: readonly string[], columns: number) =>
  row.length === columns + 1 && row[0] !== '' && row.at(-1) !== ''

/** Returns the unquoted column names of a header line. */
function headerColumns(line: string, separator: '\t' | ','): readonly string[] {
  return line.split(separator).map(nameIn)
}

/** Matches names that pandas and readr give to columns that have no name. */
const GIVEN_NAME = /^(Unnamed: \d+(_level_\d+)?|\.\.\.\d+)$/

/** Returns the name in a header cell, unquoted. */
export const nameIn = (cell: string) =>
  visible(cell)
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replace(GIVEN_NAME, '')

/**
 * Decodes the first bytes of a file, without an incomplete character at their end. Undefined if they are not
 * UTF-8.
 */
function wholeCharacters(head: Buffer): string | undefined {
  for (let cut = 0; cut < 4; cut++) {
    const bytes = head.subarray(0, head.length - cut)
    if (isUtf8(bytes)) return bytes.toString('utf8')
  }
  return undefined
}

const none = (reason: string): SourceKind => ({ form: 'none', reason })
