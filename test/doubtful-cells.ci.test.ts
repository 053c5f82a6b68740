import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readManifest } from '../bin/get/manifest.ts'
import { idsOfManifest } from '../engine/commons/files/versions/manifest-ids.ts'
import { readManifestRows } from '../engine/commons/import/files/manifest-rows.ts'
import { HCPCS_LAYOUTS } from '../engine/registry/codes/hcpcs/layouts.ts'
import { rowReader } from '../engine/registry/codes/hcpcs/read-row.ts'
import {
  openedCodes,
  PROCEDURES,
  READER,
  tableOf,
} from '../engine/registry/codes/support/made-codes.ts'
import { findTable, readTable } from '../engine/registry/codes/tables/read-table.ts'
import { parseHematopoietic } from '../engine/registry/multiple-primaries/parse-hematopoietic.ts'
import { readLookups, readMembers, readSections } from '../engine/registry/naaccr/read-tables.ts'
import { genesOf } from '../engine/shared/catalogue/gene-table.ts'
import { inlineExecutor } from '../engine/shared/executor.ts'
import { tableContent } from '../engine/shared/input/table-file.ts'
import { readTextFile } from '../engine/shared/input/text-file.ts'
import { Dictionary, OWN_DICTIONARY } from '../engine/submission/dictionary/dictionary.ts'
import { parseBody } from '../engine/submission/transactions/parse-body.ts'
import { madeZip } from '../fixtures/made-zip.ts'
import { documentsOf } from './commons/import/support/documents.ts'

// docs/reference/tables.md documents how every reader of tables handles doubtful cells.

const PAGE = readFileSync(join(import.meta.dirname, '../docs/reference/tables.md'), 'utf8')
const UUID = 'f1000000-0000-4000-8000-00000000000'
const YEAR = ['valid start year', 'remark'] as const
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e'

let folder = ''
let dictionary: Dictionary
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-doubts-'))
  dictionary = await Dictionary.load(OWN_DICTIONARY, inlineExecutor)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function given(content: Buffer): Promise<string> {
  const path = join(folder, 'table.tsv')
  await writeFile(path, content)
  return path
}

async function* once(content: Buffer) {
  yield content
}

/** A kind of table and its reader. */
interface Kind {
  /** Its name in the documentation. */
  readonly name: string
  readonly separator?: ','
  readonly header: readonly string[]
  /** Makes a valid row. The last cell but one is a number, if the kind has any; the last one is text. */
  row(i: number): readonly string[]
  /** Reads a table, and returns the last value but one of each accepted row. */
  read(content: Buffer): Promise<readonly unknown[]>
  readonly hasNoNumbers?: true
}

const KINDS: readonly Kind[] = [
  {
    name: '`import commons`, `maf`, `copy-number`',
    header: ['id', 'filename', 'md5', 'size', 'state'],
    row: (i) => [`${UUID}${i}`, 'a', MD5, `${i}`, 'released'],
    async read(content) {
      const { documents, intake } = await documentsOf([{ name: 'table.tsv', content }], {
        maxErrors: 9,
      })
      const [report] = intake.reports
      if (report?.notTaken !== undefined) throw new Error(report.notTaken)
      const isReported = report?.columns.some(({ misunderstood }) => misunderstood > 0)
      const sizes = (documents.files ?? []).map(({ file_size }) => file_size)
      if (report?.doubts) return sizes.map(() => 'doubted')
      return sizes.map((size) => size ?? (isReported ? 'reported' : undefined))
    },
  },
  {
    name: '`import genes`',
    header: ['gene_id', 'chr', 'start', 'end', 'symbol'],
    row: (i) => [`G${i}`, '1', '1', `${i}`, 'A'],
    async read(content) {
      const ends: number[] = []
      for await (const { end } of genesOf(
        tableContent(() => once(content)),
        'g',
      ))
        ends.push(end)
      return ends
    },
  },
  {
    name: 'manifest of `casemill get`',
    header: ['id', 'md5', 'size', 'filename'],
    row: (i) => [`a-${i}`, MD5, `${i}`, 'a'],
    async read(content) {
      return (await readManifest(await given(content))).map(({ size }) => size)
    },
  },
  {
    name: 'manifest of `import files`',
    header: ['id', 'md5', 'size', 'filename'],
    row: (i) => [`${UUID}${i}`, MD5, `${i}`, 'a'],
    async read(content) {
      const sizes: unknown[] = []
      for await (const rows of readManifestRows(await given(content))) {
        for (const row of rows) if (!('problem' in row)) sizes.push(row.size)
      }
      return sizes
    },
  },
  {
    name: 'submitted TSV and CSV',
    header: ['type', 'submitter_id', 'days_to_collection', 'sample_type'],
    row: (i) => ['sample', 'S', `${i}`, 'x'],
    async read(content) {
      const submitted = parseBody(content, 'tsv', dictionary.types)
      const documents = submitted.map((one) => ('document' in one ? one.document : {}))
      // An entity is rejected if it lacks a type or has a text instead of a number.
      return documents.flatMap(({ type, days_to_collection: days }) =>
        type === undefined || typeof days === 'string' ? [] : [days],
      )
    },
  },
  {
    name: '`import ndc`, `import hcpcs`',
    header: ['HCPCS_CD', 'HCPCS_SQNC_NUM', 'HCPCS_LONG_DESC_TXT'],
    row: (i) => [`J000${i}`, `${i}`, 'x'],
    async read(content) {
      const columns = { HCPCS_CD: { as: 'code' }, HCPCS_SQNC_NUM: { as: 'sequence' } } as const
      const part = { HCPCS_LONG_DESC_TXT: { as: 'part' } } as const
      const found: unknown[] = []
      expect(HCPCS_LAYOUTS[0]?.columns).toMatchObject({ ...columns, ...part })
      await readTable(
        {
          file: await findTable(await given(content)),
          layouts: [{ name: 'procedures', columns: { ...columns, ...part } }],
          open(recognised) {
            const read = rowReader(recognised)
            return (cells) => {
              const { code, sequence } = read(cells)
              found.push(sequence)
              return { fate: 'load', code }
            }
          },
        },
        {},
      )
      return found
    },
  },
  {
    name: '`import ndc-categories`, `hcpcs-categories`',
    header: ['hcpcs', 'fda_approval_year', 'generic_name'],
    row: (i) => [`J000${i}`, '1999', 'x'],
    async read(content) {
      const made = await openedCodes()
      await made.importHcpcs(
        tableOf(
          PROCEDURES,
          [1, 2].map((i) => ({
            HCPCS_CD: `J000${i}`,
            HCPCS_SQNC_NUM: '1',
            HCPCS_LONG_DESC_TXT: 'x',
          })),
        ),
      )
      const run = { user: 'x', skipBad: true }
      const rows: (string | undefined)[] = []
      await made.hcpcs.importCategories(await made.give(content), {
        ...run,
        onRow: ({ fate, code }) => void (fate === 'load' && rows.push(code)),
      })
      const records = await Promise.all(
        rows.map((code) => made.hcpcs.procedure(READER, code ?? '')),
      )
      return records.map(({ record }) => {
        const year = (record as { fda_approval_year?: string }).fda_approval_year
        return year === undefined ? undefined : Number(year)
      })
    },
  },
  {
    name: '`import hematopoietic`',
    separator: ',',
    header: ['morphology', 'valid end year', 'start year', 'end year', 'same primary', ...YEAR],
    row: () => ['9742/3', '', '', '', '9590/3', '1999', 'x'],
    async read(content) {
      const text = await readTextFile(await given(content), { maxBytes: 1e6 })
      const { samePrimary2010 = [] } = parseHematopoietic('t.csv', text)
      return samePrimary2010.map(({ validStart }) => validStart)
    },
  },
  {
    name: '`import naaccr --members`',
    header: ['item_number', 'format', 'section'],
    row: (i) => [`${i}`, 'a', 'b'],
    async read(content) {
      return [...(await readMembers(await given(content))).values()].map(({ format }) => format)
    },
    hasNoNumbers: true,
  },
  // These tables have no header: their first row is like the others.
  {
    name: '`import naaccr --sections`',
    separator: ',',
    header: ['item0', '0', 'a'],
    row: (i) => [`item${i}`, `${i}`, 'b'],
    read: async (content) => [...(await readSections(await given(content))).keys()].slice(1),
    hasNoNumbers: true,
  },
  {
    name: 'tables of `import naaccr --lookups`',
    separator: ',',
    header: ['0', 'a'],
    row: (i) => [`${i}`, 'b'],
    async read(content) {
      const zip = await given(madeZip([{ name: 'item.csv', content }]))
      const { codes } = await readLookups(zip, '25')
      return (codes.get('item') ?? []).slice(1).map(({ code }) => code)
    },
    hasNoNumbers: true,
  },
  {
    name: '`/files/versions/manifest`',
    header: ['id', 'filename'],
    row: (i) => [`a${i}`, 'x'],
    read: async (content) => idsOfManifest(content),
    hasNoNumbers: true,
  },
]

type Rows = readonly (readonly string[])[]

/** The kind's table with changed cells in the last row. */
function tableWith(kind: Kind, change: (cells: readonly string[]) => readonly string[]): Rows {
  return [kind.header, kind.row(1), change(kind.row(2))]
}

const withNumber = (cell: string) => (kind: Kind) =>
  tableWith(kind, (cells) => cells.with(-2, cell))

/** Repeats the last column but one at the end. */
const withColumnTwice = (change: (cell: string) => string) => (kind: Kind) => {
  const [header = [], first = [], last = []] = tableWith(kind, (cells) => cells)
  const again = (cells: readonly string[]) => cells.at(-2) ?? ''
  return [
    [...header, again(header)],
    [...first, again(first)],
    [...last, change(again(last))],
  ]
}

/** The columns of the documented table. */
const DOUBTS: readonly (readonly [name: string, (kind: Kind) => Rows])[] = [
  ['`2001.0`', withNumber('2001.0')],
  ['`2.001e+03`', withNumber('2.001e+03')],
  ['`2.000`', withNumber('2.000')],
  ['`22,280`', withNumber('22,280')],
  ['`nan`', withNumber('nan')],
  ['empty', withNumber('')],
  ['a cell too many', (kind) => tableWith(kind, (cells) => [...cells, 'more'])],
  ['a cell too few', (kind) => tableWith(kind, (cells) => cells.slice(0, -1))],
  ['a column twice, equal', withColumnTwice((cell) => cell)],
  ['a column twice, different', withColumnTwice((cell) => `${cell}1`)],
]
const NUMBERS = 6

const separatorOf = ({ separator }: Kind): string => separator ?? '\t'

function textOf(rows: Rows, kind: Kind): string {
  const separator = separatorOf(kind)
  const cellOf = (cell: string) => (separator === ',' && cell.includes(',') ? `"${cell}"` : cell)
  return rows.map((cells) => `${cells.map(cellOf).join(separator)}\n`).join('')
}

async function outcomeOf(kind: Kind, rows: Rows, isOfNumber: boolean): Promise<string> {
  const values = await kind.read(Buffer.from(textOf(rows, kind))).catch(() => undefined)
  if (values === undefined) return 'file refused'
  if (values.length < 2) return 'row refused'
  const value = values.at(-1)
  if (value === 'reported') return 'empty, reported'
  if (value === 'doubted') return 'taken, reported'
  if (isOfNumber && (value === undefined || value === null)) return 'empty'
  if (isOfNumber) expect(value).toBe(2001)
  return 'taken'
}

describe.each(KINDS)('$name', (kind) => {
  test('does with doubtful cells what the page says', async () => {
    const cells: string[] = []
    for (const [i, [, rowsOf]] of DOUBTS.entries()) {
      const isOfNumber = i < NUMBERS
      const isThere = !(isOfNumber && kind.hasNoNumbers)
      cells.push(isThere ? await outcomeOf(kind, rowsOf(kind), isOfNumber) : '')
    }
    expect(PAGE).toContain(`| Table | ${DOUBTS.map(([name]) => name).join(' | ')} |`)
    const row = PAGE.split('\n').find((line) => line.startsWith(`| ${kind.name} |`))
    expect(row).toBe(`| ${[kind.name, ...cells].join(' | ')} |`)
  })

  test('reads a table as R quotes it, and keeps a lone quote between tabs', async () => {
    const rows = tableWith(kind, (cells) => cells.with(-1, 'x'))
    const wanted = await kind.read(Buffer.from(textOf(rows, kind)))
    const separator = separatorOf(kind)
    // The rows as written by write.table(quote = TRUE), which does not quote numbers.
    const quoted = rows.map((cells, i) =>
      cells.map((cell) => (i > 0 && /^[\d.]+$/.test(cell) ? cell : `"${cell}"`)).join(separator),
    )
    expect(await kind.read(Buffer.from(quoted.join('\r\n')))).toEqual(wanted)
    if (separator === ',') return
    const lone = tableWith(kind, (cells) => cells.with(-1, '5" x'))
    expect(await kind.read(Buffer.from(textOf(lone, kind)))).toEqual(wanted)
  })

  test('names text in UTF-16 and archives', async () => {
    const utf16 = Buffer.from(`\ufeff${textOf([kind.header, kind.row(1)], kind)}`, 'utf16le')
    await expect(kind.read(utf16)).rejects.toThrow('it is text in UTF-16; save it as UTF-8')
    await expect(kind.read(Buffer.from('PK\x03\x04'))).rejects.toThrow('it is a ZIP archive')
  })
})
