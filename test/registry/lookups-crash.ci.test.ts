import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Naaccr } from '../../engine/registry/naaccr/naaccr.ts'
import { Surgery } from '../../engine/registry/surgery/surgery.ts'
import type { Database } from '../../engine/shared/database/database.ts'
import { sharedState } from '../../engine/shared-state.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { naaccrFiles } from './support/naaccr-files.ts'

// A killed import of surgery tables, of items or of a registry's own dictionary leaves the previous data intact.

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

/** A registry's own items, which have no documentation. */
const ownDictionary = (name: string) => {
  const item = (_: unknown, i: number) =>
    `<ItemDef naaccrId="own${i}" naaccrNum="${10_000 + i}" naaccrName="${name}" length="1" recordTypes="A" parentXmlElement="Tumor"/>`
  return `<NaaccrDictionary dictionaryUri="http://example.org/own.xml" naaccrVersion="250"
    xmlns="http://naaccr.org/naaccrxml">
    <ItemDefs>${Array.from({ length: ITEMS }, item).join('')}</ItemDefs></NaaccrDictionary>`
}

/** A table of sections, named after the import. */
const sections = (name: string) =>
  Array.from({ length: ITEMS }, (_, i) => `item${i},Item ${i},${name}\n`).join('')

interface Area {
  /** The number of rows that an import writes, including the removal of previous ones. */
  readonly rows: number
  readonly files: Readonly<Record<string, (name: string) => string>>
  /** @param folder contains the files */
  readonly take: (state: Database, folder: string) => Promise<unknown>
  /** The stored data: each name with its size. */
  readonly stored: (state: Database) => Promise<readonly string[]>
}

const AREAS: Readonly<Record<string, Area>> = {
  surgery: {
    rows: 1 + TABLES,
    files: { 'tables-2014.xml': edition },
    take: (state, given) => new Surgery({ state }).import([join(given, 'tables-2014.xml')]),
    async stored(state) {
      const surgery = new Surgery({ state })
      const titles = await surgery.titles('2014')
      const tables = await Promise.all(titles.map((title) => surgery.table('2014', { title })))
      return tables.map(({ row }) => row[0]?.description ?? '')
    },
  },
  naaccr: {
    rows: 3 + ITEMS,
    files: { 'dictionary.xml': dictionary, 'sections.csv': sections },
    take: (state, given) => new Naaccr({ state }).import(naaccrFiles(given)),
    async stored(state) {
      const naaccr = new Naaccr({ state })
      const uri = 'http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml'
      const { items = [] } = (await naaccr.dictionary(uri)) ?? {}
      const listed = await naaccr.list('25')
      const documented = await Promise.all(listed.map(({ item }) => naaccr.item('25', item)))
      const names = [...items, ...listed].map(({ name }) => name ?? '')
      return [...names, ...documented.map(({ section }) => section ?? '')]
    },
  },
  'dictionary of own items': {
    rows: 1,
    files: { 'dictionary.xml': ownDictionary },
    take: (state, given) => new Naaccr({ state }).import(naaccrFiles(given)),
    async stored(state) {
      const found = await new Naaccr({ state }).dictionary('http://example.org/own.xml')
      return found?.items.map(({ name }) => name ?? '') ?? []
    },
  },
}

describe.each(Object.entries(AREAS))('%s', (name, { rows, files, take, stored }) => {
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
    const given = join(folder, `${name}-${what}`)
    await mkdir(given)
    for (const [file, content] of Object.entries(files)) {
      await writeFile(join(given, file), content(what))
    }
    return given
  }

  test('an import that is killed leaves what was there, and can be run again', async () => {
    const [before, after] = [await give('before'), await give('after')]
    await withState((state) => take(state, before))
    const all = await withState(stored)
    expect([all.length > 0, new Set(all)]).toEqual([true, new Set(['before'])])
    const random = randomFrom(24, name.length)
    // The kill comes before the first row, after some rows, and when everything is written but not committed.
    const within = () => 1 + random.below(Math.max(rows - 1, 1))
    for (const written of new Set([0, 1, within(), within(), rows])) {
      const child = spawn(process.execPath, [KILLED, data(), name, after, String(written)])
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
      expect(await withState(stored)).toEqual(all)
    }
    await withState((state) => take(state, after))
    expect(await withState(stored)).toEqual(all.map(() => 'after'))
  })
})
