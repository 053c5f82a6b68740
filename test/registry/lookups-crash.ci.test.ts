import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Naaccr } from '../../engine/registry/naaccr/naaccr.ts'
import { Surgery } from '../../engine/registry/surgery/surgery.ts'
import type { Database } from '../../engine/shared/database/database.ts'
import { sharedState } from '../../engine/shared-state.ts'
import { randomFrom } from '../../fixtures/random.ts'

// An import of surgery tables or of items that is killed leaves what was there, whole.

const KILLED = fileURLToPath(new URL('support/killed-lookups.ts', import.meta.url))
const TABLES = 30
const ITEMS = 200

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-lookups-crash-'))
})
afterAll(() => rm(folder, { recursive: true }))

const edition = (name: string) => {
  const table = (_: unknown, i: number) => `<surgery-table title="Table ${i}">
    <site-inclusion>C${String(i).padStart(3, '0')}</site-inclusion>
    <row><code>00</code><description>${name}</description></row></surgery-table>`
  const tables = Array.from({ length: TABLES }, table)
  return `<surgery-tables version="2014" version-name="${name}">${tables.join('')}</surgery-tables>`
}

const dictionary = (name: string) => {
  const item = (_: unknown, i: number) =>
    `<ItemDef naaccrId="item${i}" naaccrNum="${i + 1}" naaccrName="${name}" length="1" recordTypes="A" parentXmlElement="Tumor"/>`
  return `<NaaccrDictionary dictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml"
    naaccrVersion="250" dateLastModified="2024-01-01T00:00:00Z" xmlns="http://naaccr.org/naaccrxml">
    <ItemDefs>${Array.from({ length: ITEMS }, item).join('')}</ItemDefs></NaaccrDictionary>`
}

interface Area {
  /** Rows that an import writes, the removal of those before included. */
  readonly rows: number
  readonly file: string
  readonly content: (name: string) => string
  readonly take: (state: Database, path: string) => Promise<unknown>
  /** What is stored: each name, and of how much. */
  readonly stored: (state: Database) => Promise<readonly string[]>
}

const AREAS: Readonly<Record<string, Area>> = {
  surgery: {
    rows: 1 + TABLES,
    file: 'tables-2014.xml',
    content: edition,
    take: (state, path) => new Surgery({ state }).import([path]),
    async stored(state) {
      const surgery = new Surgery({ state })
      const titles = await surgery.titles('2014')
      const tables = await Promise.all(titles.map((title) => surgery.table('2014', { title })))
      return tables.map(({ row }) => row[0]?.description ?? '')
    },
  },
  naaccr: {
    rows: 3 + ITEMS,
    file: 'dictionary.xml',
    content: dictionary,
    take: (state, path) => new Naaccr({ state }).import({ dictionary: path }),
    async stored(state) {
      const naaccr = new Naaccr({ state })
      const uri = 'http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml'
      const { items = [] } = (await naaccr.dictionary(uri)) ?? {}
      const listed = await naaccr.list('25')
      return [...items, ...listed].map(({ name }) => name ?? '')
    },
  },
}

describe.each(Object.entries(AREAS))('%s', (name, { rows, file, content, take, stored }) => {
  const data = () => join(folder, name)

  async function withState<T>(use: (state: Database) => Promise<T>): Promise<T> {
    const state = sharedState({ dataFolder: data() })
    try {
      return await use(state)
    } finally {
      await state.close()
    }
  }

  async function give(what: string): Promise<string> {
    const path = join(folder, `${name}-${what}`, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content(what))
    return path
  }

  test('an import that is killed leaves what was there, and can be run again', async () => {
    const [before, after] = [await give('before'), await give('after')]
    await withState((state) => take(state, before))
    const all = await withState(stored)
    expect([all.length > 0, new Set(all)]).toEqual([true, new Set(['before'])])
    const random = randomFrom(24, name.length)
    // Before the first row, behind some, and when all is written but not committed.
    for (const written of [0, 1, 1 + random.below(rows - 1), 1 + random.below(rows - 1), rows]) {
      const child = spawn(process.execPath, [KILLED, data(), name, after, String(written)])
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
      expect(await withState(stored)).toEqual(all)
    }
    await withState((state) => take(state, after))
    expect(await withState(stored)).toEqual(all.map(() => 'after'))
  })
})
