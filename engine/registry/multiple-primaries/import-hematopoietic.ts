import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import { readTextFile } from '../../shared/input/text-file.ts'
import { parseTables } from './current-rules.ts'
import type { HematopoieticData, HematopoieticTable } from './hematopoietic-data.ts'
import { parseHematopoietic } from './parse-hematopoietic.ts'
import type { TableRepository } from './repository.ts'
import { shippedHematopoietic } from './shipped-hematopoietic.ts'

interface ImportHematopoietic {
  /** Whether to report what would change without storing anything. */
  readonly dryRun?: boolean
}

/** Changes that an import makes to one table, in rows. */
export interface ImportedTable {
  readonly table: HematopoieticTable
  readonly added: number
  readonly removed: number
  readonly same: number
  /** Whether only the order of groups differs, which matters because the first group with a histology applies. */
  readonly isReordered: boolean
}

export interface ImportedHematopoietic {
  readonly dryRun: boolean
  /** Results for all tables, including those without a file. */
  readonly tables: readonly ImportedTable[]
}

/** Maximum number of bytes of a file, far more than the tables have. */
const MAX_BYTES = 16 << 20

/**
 * Replaces tables with CSV files, which are recognized by their header lines. Tables without a file are kept.
 * All files are checked first, then all changed tables are stored in one transaction.
 * @throws EngineError `bad_input` for a file of another layout or with an invalid row, naming file, line and
 *   column, for two files of one table, and for pairs of unknown groups; `not_found`; `unavailable` for an
 *   unreadable file; `too_large`
 */
export async function importHematopoietic(
  repository: TableRepository,
  paths: readonly string[],
  { dryRun = false }: ImportHematopoietic = {},
): Promise<ImportedHematopoietic> {
  const read = await readTables(paths)
  const wanted = (current: HematopoieticData) => {
    const data = { ...current, ...read.tables }
    checkGroups(data, read.fileOf.get('groupPairs2001') ?? read.fileOf.get('groups2001'))
    return data
  }
  return replace(repository, wanted, { dryRun })
}

/** Removes imported tables. From then on, the tables of the program apply again, also those of later versions. */
export async function useShipped(
  repository: TableRepository,
  { dryRun = false }: ImportHematopoietic = {},
): Promise<ImportedHematopoietic> {
  return replace(repository, () => undefined, { dryRun })
}

/**
 * Replaces the stored tables.
 * @param wanted maps the current tables to the new ones, or to undefined to use those of the program
 */
function replace(
  repository: TableRepository,
  wanted: (current: HematopoieticData) => HematopoieticData | undefined,
  { dryRun }: Required<ImportHematopoietic>,
): Promise<ImportedHematopoietic> {
  return repository.replace((before) => {
    const current = parseTables(before)
    const data = wanted(current)
    const tables = compareTables(current, data ?? shippedHematopoietic())
    const isSame = tables.every(
      ({ added, removed, isReordered }) => !added && !removed && !isReordered,
    )
    // Tables equal to the current ones are not stored. After an import of the program's own tables, these
    // therefore stay in use, and later versions of the program still replace them.
    const document = data && !isSame ? JSON.stringify(data) : data ? before : null
    return { document: dryRun ? before : document, result: { dryRun, tables } }
  })
}

interface ReadTables {
  readonly tables: Partial<HematopoieticData>
  readonly fileOf: ReadonlyMap<HematopoieticTable, string>
}

async function readTables(paths: readonly string[]): Promise<ReadTables> {
  const tables: Partial<HematopoieticData> = {}
  const fileOf = new Map<HematopoieticTable, string>()
  for (const path of paths) {
    const name = basename(path)
    const read = parseHematopoietic(name, await readTextFile(path, { maxBytes: MAX_BYTES }))
    for (const table of Object.keys(read) as HematopoieticTable[]) {
      const other = fileOf.get(table)
      if (other !== undefined) {
        throw new EngineError('bad_input', `"${other}" and "${name}" are the same table; give one`)
      }
      fileOf.set(table, name)
    }
    Object.assign(tables, read)
  }
  return { tables, fileOf }
}

/**
 * Checks that each group of a pair has histologies, because a pair with an unknown group has no effect.
 * @param file imported file with groups or pairs; without one, nothing is checked
 * @throws EngineError `bad_input` naming the file, if a group has none
 */
function checkGroups(
  { groups2001, groupPairs2001 }: HematopoieticData,
  file: string | undefined,
): void {
  const known = new Set(groups2001.map(({ number }) => number))
  const unknown = groupPairs2001.flat().find((number) => !known.has(number))
  if (file === undefined || unknown === undefined) return
  const message = `with "${file}" a pair names the group ${unknown}, which no histologies have`
  throw new EngineError('bad_input', message, { at: file })
}

function compareTables(before: HematopoieticData, after: HematopoieticData): ImportedTable[] {
  const names = Object.keys(before) as HematopoieticTable[]
  return names.map((table) => compareRows(table, before[table], after[table]))
}

function compareRows(
  table: HematopoieticTable,
  before: readonly object[],
  after: readonly object[],
): ImportedTable {
  const texts = before.map(textOf)
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  let same = 0
  let inPlace = 0
  for (const [i, row] of after.entries()) {
    const text = textOf(row)
    const left = counts.get(text) ?? 0
    if (left > 0) same++
    counts.set(text, left - 1)
    if (texts[i] === text) inPlace++
  }
  const added = after.length - same
  const removed = before.length - same
  const isReordered = table === 'groups2001' && !added && !removed && inPlace < same
  return { table, added, removed, same, isReordered }
}

/** Converts rows to text. Equal rows give equal text, whatever the order of their members. */
function textOf(row: object): string {
  return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))
}
