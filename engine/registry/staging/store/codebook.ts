import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { cellOf } from '../../../shared/formats/table-cells.ts'
import { type ByteStream, generatedStream } from '../../../shared/streams/byte-stream.ts'
import { cellsByKey, codesOfTable, inputColumns } from '../algorithm/code-rows.ts'
import type {
  SchemaInput,
  SchemaOutput,
  StagingSchema,
  StagingTable,
  VersionContent,
} from '../algorithm/model.ts'
import { missing } from './missing.ts'
import type { DifferenceFormat } from './version-difference.ts'

export const CODEBOOK_PARTS = [
  ...(['site', 'histology', 'selection', 'input', 'code', 'output'] as const),
] as const
export type CodebookPart = (typeof CODEBOOK_PARTS)[number]

export interface CodebookRequest {
  /** Format of the table. By default ndjson. */
  readonly format?: DifferenceFormat | undefined
  /** Parts to list. By default all. */
  readonly parts?: readonly CodebookPart[] | undefined
  /** Ids of the schemas to list. By default all. */
  readonly schemas?: readonly string[] | undefined
}

/** A row of the codebook. Cells are as in the version's tables (registry.md 4.2); `*` means anything. */
export interface CodebookLine {
  readonly part: CodebookPart
  readonly schema?: string
  readonly schema_num?: number
  readonly schema_name?: string
  /** For a selection: the sites and histologies that select the schema. */
  readonly sites?: string
  readonly histologies?: string
  /** For a selection: cells of the further inputs, keyed by input. */
  readonly by?: Readonly<Record<string, string>>
  /** Key of an input or output. */
  readonly item?: string
  readonly naaccr_item?: number
  readonly naaccr_xml_id?: string
  readonly item_name?: string
  readonly used_for_staging?: boolean
  readonly default?: string
  readonly code?: string
  readonly label?: string
  /** Values that other inputs must have for the code to be accepted. */
  readonly when?: Readonly<Record<string, string>>
}

/** Tables of all sites and histologies (registry.md 4.1), which are listed once instead of for each schema. */
const SITES = 'primary_site'
const HISTOLOGIES = 'histology'

const ANYTHING = '*'

/** Approximate size of a chunk in characters. */
const CHUNK_CHARACTERS = 1 << 16

/**
 * Lists everything that determines valid cases in one table: sites and histologies, the rows by which they
 * and other inputs select a schema, the items of each schema and their accepted codes. The format is JSON
 * lines, or TSV with a column `by_KEY` for each further input that selects schemas.
 * @throws EngineError `not_found` for an unknown schema
 */
export function codebook(
  content: VersionContent,
  { format = 'ndjson', parts = CODEBOOK_PARTS, schemas }: CodebookRequest = {},
  turns = new LoopTurns(),
): ByteStream {
  const ids = schemas ?? [...content.schemas.keys()]
  const asked = [...new Set(ids)]
    .sort()
    .map((id) => content.schemas.get(id) ?? missing('schema', id))
  const rest = chunksOf(content, { format, parts: new Set(parts), asked, turns })
  return generatedStream({ rest }, { giveBack: () => {} })
}

interface Chunked {
  readonly format: DifferenceFormat
  readonly parts: ReadonlySet<CodebookPart>
  /** Schemas to list. */
  readonly asked: readonly StagingSchema[]
  readonly turns: LoopTurns
}

async function* chunksOf(
  content: VersionContent,
  { format, parts, asked, turns }: Chunked,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { head, lineOf } = writerOf(format, content, asked)
  let text = head
  for (const line of linesOf(content, asked, parts)) {
    text += lineOf(line)
    if (text.length >= CHUNK_CHARACTERS) {
      yield Buffer.from(text)
      text = ''
    }
    await turns.pause()
  }
  if (text !== '') yield Buffer.from(text)
}

function* linesOf(
  { tables }: VersionContent,
  schemas: readonly StagingSchema[],
  parts: ReadonlySet<CodebookPart>,
): Generator<CodebookLine> {
  for (const [part, table] of [
    ['site', SITES],
    ['histology', HISTOLOGIES],
  ] as const) {
    const [[key] = ['']] = inputColumns(tables.get(table))
    if (parts.has(part)) yield* codesOf(key, tables.get(table), { part })
  }
  for (const schema of schemas) {
    const of = {
      schema: schema.id,
      ...(schema.schema_num !== undefined && { schema_num: schema.schema_num }),
      ...(schema.name !== undefined && { schema_name: schema.name }),
    }
    if (parts.has('selection')) {
      for (const chosen of selectionsOf(tables.get(schema.schema_selection_table))) {
        yield { part: 'selection', ...of, ...chosen }
      }
    }
    for (const input of schema.inputs) {
      const item = itemOf(input)
      if (parts.has('input')) yield { part: 'input', ...of, ...item, ...useOf(input) }
      if (!parts.has('code') || input.table === SITES || input.table === HISTOLOGIES) continue
      const table = input.table === undefined ? undefined : tables.get(input.table)
      yield* codesOf(input.key, table, { part: 'code', ...of, ...item })
    }
    if (!parts.has('output')) continue
    for (const output of schema.outputs ?? []) {
      yield { part: 'output', ...of, ...itemOf(output) }
    }
  }
}

/** Yields the rows of a selection table, each of which selects the schema (registry.md rule 16). */
function* selectionsOf(table: StagingTable | undefined) {
  const columns = inputColumns(table)
  for (const cells of table?.rows ?? []) {
    const { site = ANYTHING, hist = ANYTHING, ...by } = cellsByKey(columns, cells)
    const others = Object.keys(by).length > 0
    yield { sites: site, histologies: hist, ...(others && { by }) }
  }
}

/** Returns the rows of a table that validates an input. */
const codesOf = (key: string, table: StagingTable | undefined, of: CodebookLine): CodebookLine[] =>
  table ? codesOfTable(table, key).map((row) => ({ ...of, ...row })) : []

const itemOf = ({ key, naaccr_item, naaccr_xml_id, name }: SchemaInput | SchemaOutput) => ({
  item: key,
  ...(naaccr_item !== undefined && { naaccr_item }),
  ...(naaccr_xml_id !== undefined && { naaccr_xml_id }),
  ...(name !== undefined && { item_name: name }),
})

const useOf = ({ used_for_staging, default: value }: SchemaInput) => ({
  ...(used_for_staging !== undefined && { used_for_staging }),
  ...(value !== undefined && { default: value }),
})

interface Writer {
  readonly head: string
  readonly lineOf: (line: CodebookLine) => string
}

const BEFORE = ['part', 'schema', 'schema_num', 'schema_name', 'sites', 'histologies'] as const
const AFTER = [
  ...(['item', 'naaccr_item', 'naaccr_xml_id', 'item_name', 'used_for_staging'] as const),
  ...(['default', 'code', 'label', 'when'] as const),
] as const

function writerOf(
  format: DifferenceFormat,
  { algorithm, version, tables }: VersionContent,
  asked: readonly StagingSchema[],
): Writer {
  if (format === 'ndjson') {
    return {
      head: `${JSON.stringify({ algorithm, version })}\n`,
      lineOf: (line) => `${JSON.stringify(line)}\n`,
    }
  }
  const keys = asked.flatMap(({ schema_selection_table }) =>
    inputColumns(tables.get(schema_selection_table)).map(([key]) => key),
  )
  const by = [...new Set(keys)].filter((key) => key !== 'site' && key !== 'hist').sort()
  const head = [...BEFORE, ...by.map((key) => `by_${key}`), ...AFTER]
  const lineOf = (line: CodebookLine) => {
    // A schema whose selection does not use a key accepts any value of the key.
    const rest = line.part === 'selection' ? ANYTHING : undefined
    const cells = [
      ...BEFORE.map((column) => line[column]),
      ...by.map((key) => line.by?.[key] ?? rest),
      ...AFTER.map((column) => (column === 'when' ? whenOf(line) : line[column])),
    ]
    return `${cells.map((cell) => cellOf(cell ?? null, false)).join('\t')}\n`
  }
  return { head: `${head.join('\t')}\n`, lineOf }
}

const whenOf = ({ when }: CodebookLine) => when && JSON.stringify(when)
