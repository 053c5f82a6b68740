import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import { nearestOf } from '../../shared/input/near-name.ts'
import { readTextFile } from '../../shared/input/text-file.ts'
import { headedTable, textRows } from '../../shared/input/text-table.ts'
import { type ZipLimits, zipEntries } from '../../shared/input/zip-entries.ts'
import { errorIn, inTable } from '../error-in.ts'
import { readTime } from './documented-version.ts'
import { type AllowedCode, type ItemTexts, TEXT_MEMBERS, type TextMember } from './model.ts'

const MAX_BYTES = 32 << 20

/**
 * Reads the section of each item, keyed by id, from a table `id,short name,section` without a header.
 * @throws EngineError as readTextFile does; `bad_input`, naming file and line
 */
export async function readSections(
  path: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const name = basename(path)
  const text = await readTextFile(path, { maxBytes: MAX_BYTES, signal })
  const rows = inTable(name, () => [...textRows(text, ',')]).map(({ line, cells }) => {
    const [id = '', , section = ''] = cells
    if (cells.length === 3 && id !== '') return [id, section] as const
    const message = `line ${line} of "${name}" has not three cells: id, short name, section`
    throw new EngineError('bad_input', message)
  })
  return new Map(rows.filter(([, section]) => section !== ''))
}

/** Limits of the published archive. It has 8 MB, most of it in one table that is left out. */
const LIMITS: ZipLimits = {
  entries: 10_000,
  entryBytes: 32 << 20,
  totalBytes: 128 << 20,
  ratio: 50,
}
/** Maximum size of a table in bytes, for a few thousand codes. A response contains all of them. */
const MAX_TABLE_BYTES = 256 << 10

/** Matches `naaccr-lookups-260/vitalStatus.csv`. Of two forms of a classification, the shorter is used. */
const LOOKUP = /(?:^|\/)(?:naaccr-lookups-(\d\d)0\/)?([^/]+?)(?:_preferredTermsOnly)?\.csv$/

interface Lookups {
  /** Codes keyed by item id. */
  readonly codes: ReadonlyMap<string, readonly AllowedCode[]>
  /** Tables that are too large for a response. */
  readonly leftOut: readonly string[]
}

/**
 * Reads codes and labels from an archive of tables `code,label` without headers.
 * @throws EngineError as zipEntries does; `bad_input`, naming the table, or if there is no table of the
 * version
 */
export async function readLookups(
  path: string,
  version: string,
  signal?: AbortSignal,
): Promise<Lookups> {
  const codes = new Map<string, readonly AllowedCode[]>()
  const leftOut: string[] = []
  const others = new Set<string>()
  for await (const { name, bytes, text } of zipEntries(path, LIMITS, 'an archive of look-ups')) {
    signal?.throwIfAborted()
    const [, ofVersion = version, id] = LOOKUP.exec(name) ?? []
    if (id === undefined) continue
    if (ofVersion !== version) others.add(ofVersion)
    else if (bytes > MAX_TABLE_BYTES) leftOut.push(basename(name))
    else codes.set(id, codesOf(name, await text()))
  }
  if (codes.size > 0) return { codes, leftOut }
  const has = others.size > 0 ? `; it has those of ${[...others].join(', ')}` : ''
  const message = `the look-ups have no table (ID.csv) of version ${version}${has}`
  throw new EngineError('bad_input', message)
}

function codesOf(name: string, text: string): AllowedCode[] {
  return inTable(name, () => [...textRows(text, ',')]).map(({ line, cells }) => {
    const [code = '', description = '', ...more] = cells
    if (more.length === 0) return { code, description }
    const message = `line ${line} of "${name}" has more cells than code and label`
    throw new EngineError('bad_input', message)
  })
}

const KEYS = ['item_number', 'xml_naaccr_id'] as const
const isKey = (column: TextMember) => KEYS.some((one) => one === column)
const TIMES: readonly TextMember[] = ['date_created', 'date_modified']

/**
 * Reads members that no published file contains, keyed by item number or id, from a tab- or comma-separated
 * table with a header. Empty cells are ignored.
 * @throws EngineError as readTextFile does; `bad_input`, naming file, line and column
 */
export async function readMembers(
  path: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, ItemTexts>> {
  const name = basename(path)
  const text = await readTextFile(path, { maxBytes: MAX_BYTES, signal })
  const { header, rows } = inTable(name, () => headedTable(text))
  const columns = header.map((cell) => memberOf(name, cell))
  const key = KEYS.map((one) => columns.indexOf(one)).find((place) => place >= 0)
  if (key === undefined) {
    throw new EngineError('bad_input', `"${name}" has no column ${KEYS.join(' or ')}`)
  }
  const members = new Map<string, ItemTexts>()
  for (const { line, cells: row } of rows) {
    const item = row[key] ?? ''
    const place = `${name}: line ${line}`
    if (row.length > columns.length || item === '' || members.has(item)) {
      const what = item === '' ? 'names no item' : 'has too many cells, or an item again'
      throw new EngineError('bad_input', `"${place}" ${what}`, { at: place })
    }
    const cells = columns.flatMap((column, j) => {
      const cell = row[j] ?? ''
      return isKey(column) || cell === '' ? [] : [[column, cellOf(column, cell, place)] as const]
    })
    members.set(item, Object.fromEntries(cells))
  }
  return members
}

function memberOf(name: string, cell: string): TextMember {
  const member = TEXT_MEMBERS.find((one) => one === cell.trim())
  if (member !== undefined) return member
  const near = nearestOf(cell, TEXT_MEMBERS)
  const message = `"${name}" has a column that is no member that can be given: "${cell.slice(0, 100)}"${near}`
  throw new EngineError('bad_input', message, { at: name })
}

function cellOf(column: TextMember, cell: string, place: string): string {
  try {
    return TIMES.includes(column) ? readTime(cell, column) : cell
  } catch (cause) {
    throw errorIn(place, cause, ': ')
  }
}
