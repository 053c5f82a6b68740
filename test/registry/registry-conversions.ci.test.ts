import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../../bin/support/program.ts'
import type { ConvertedPatient } from '../../engine/registry/index.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'

// The conversion proposed by `staging diff` agrees with a second reading of the codes in the published archives.

const STAGING = publicData('data/staging')
const DICTIONARY = join(publicData('data/naaccr'), 'dictionaries/naaccr-dictionary-250.xml.gz')
const SAMPLE = join(
  publicData('data/naaccr'),
  'samples/naaccr-xml-sample-v250-incidence-1000.xml.gz',
)

interface Schema {
  readonly id: string
  readonly inputs: readonly {
    readonly key: string
    readonly naaccr_xml_id?: string
    readonly table?: string
  }[]
  readonly outputs?: readonly { readonly naaccr_xml_id?: string; readonly default?: string }[]
}
interface Table {
  readonly id: string
  readonly definition: readonly { readonly type: string }[]
  readonly rows: readonly (readonly string[])[]
}

/** Reads the JSON members of an archive below a folder with unzip. */
function entitiesIn<Entity extends { readonly id: string }>(archive: string, folder: string) {
  const options = { maxBuffer: 1 << 28 }
  const joined = execFileSync('unzip', ['-p', archive, `${folder}/*.json`], options).toString()
  const texts = joined.split(/(?<=\})\s*(?=\{\s*"id")/)
  return new Map(texts.map((text) => JSON.parse(text) as Entity).map((one) => [one.id, one]))
}

const algorithm = (name: string) => ({
  schemas: entitiesIn<Schema>(join(STAGING, `${name}.zip`), 'schemas'),
  tables: entitiesIn<Table>(join(STAGING, `${name}.zip`), 'tables'),
})

/** Single codes of a table with their descriptions. */
function codesIn(table: Table | undefined): ReadonlyMap<string, string> {
  const place = table?.definition.findIndex(({ type }) => type === 'INPUT') ?? -1
  const text = table?.definition.findIndex(({ type }) => type === 'DESCRIPTION') ?? -1
  const cells = place < 0 ? [] : (table?.rows ?? [])
  return new Map(
    cells
      .filter((row) => /^[A-Z\d.]+$/.test(row[place] ?? ''))
      .map((row) => [row[place] ?? '', (row[text] ?? '').replace(/\s+/g, ' ').trim()]),
  )
}

interface Ended {
  readonly schemaId: string
  readonly item: string
  readonly code: string
  readonly description: string
  /** Codes and descriptions of the new version. */
  readonly now: ReadonlyMap<string, string>
}

/** Returns single codes of items that are in 2.0 and not in 3.3. */
function endedCodes(): readonly Ended[] {
  const [before, after] = [algorithm('eod_public-2.0'), algorithm('eod_public-3.3')]
  return [...before.schemas.values()].flatMap((schema) => {
    const schemaId = schema.outputs?.find(({ naaccr_xml_id: id }) => id === 'schemaId')?.default
    const next = after.schemas.get(schema.id)
    if (schemaId === undefined || !next) return []
    return schema.inputs.flatMap(({ key, naaccr_xml_id: item = '', table = '' }) => {
      const input = next.inputs.find((one) => one.key === key)
      if (!input || ['primarySite', 'histologicTypeIcdO3', ''].includes(item)) return []
      const now = codesIn(after.tables.get(input.table ?? ''))
      if (now.size === 0) return []
      return [...codesIn(before.tables.get(table))]
        .filter(([code]) => !now.has(code))
        .map(([code, description]) => ({ schemaId, item, code, description, now }))
    })
  })
}

describe.skipIf(!available.shared)('the conversion that two published versions show', () => {
  let data = ''
  let rules = ''
  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'casemill-conversions-'))
    rules = join(data, 'conversion.txt')
    for (const version of ['2.0', '3.3']) {
      const archive = join(STAGING, `eod_public-${version}.zip`)
      const words = ['import', 'staging', archive, '--data', data]
      expect(await runProgram(words)).toMatchObject({ status: 0 })
    }
    const words = ['staging', 'diff', '--algorithm', 'eod_public', '--from', '2.0']
    const more = ['--version', '3.3', '--format', 'conversion', '-o', rules, '--data', data]
    expect(await runProgram([...words, ...more])).toMatchObject({ status: 0 })
  })
  afterAll(() => rmSync(data, { recursive: true, force: true }))

  const convert = (...words: readonly string[]) =>
    runProgram(['convert', ...words, '--rules', rules, '--dictionary', DICTIONARY, '--data', data])

  test('gives each ended code the new one with its description, or asks for a review', async () => {
    const all = endedCodes()
    expect(all.length).toBeGreaterThan(40)
    const path = join(data, 'cases.xml')
    const items = (values: Readonly<Record<string, string>>) =>
      Object.entries(values)
        .map(([id, value]) => `<Item naaccrId="${id}">${value}</Item>`)
        .join('')
    const patients = all.map(
      ({ schemaId, item, code }) =>
        `<Patient><Tumor>${items({ schemaId, [item]: code })}</Tumor></Patient>`,
    )
    const head = gunzipSync(readFileSync(SAMPLE))
      .toString()
      .match(/^.*?<NaaccrData[^>]*>/s)?.[0]
    writeFileSync(path, `${head}\n${patients.join('\n')}\n</NaaccrData>\n`)
    const { status, out } = await convert(path, '--format', 'ndjson')
    expect(status).toBe(0)
    const converted = out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as ConvertedPatient).tumors[0])
    for (const [i, { item, code, description, now }] of all.entries()) {
      const tumor = converted[i]
      const same = [...now].filter(([, text]) => text !== '' && text === description)
      const after = tumor?.changes.find((change) => change.item === item)?.after
      if (after !== undefined)
        expect([item, code, now.get(after)]).toEqual([item, code, description])
      else
        expect([item, code, tumor?.reviews.some(({ name }) => name.startsWith(item))]).toEqual([
          item,
          code,
          true,
        ])
      if (same.length === 1) expect([item, code, after]).toEqual([item, code, same[0]?.[0]])
    }
    expect(converted.filter((tumor) => tumor?.changes.length)).not.toHaveLength(0)
  })

  test('leaves a file without such codes as it is, byte by byte', async () => {
    const { status, out, err } = await convert(SAMPLE)
    expect(status).toBe(0)
    expect(err).toMatch(/944 patients with 1000 tumors, 0 values changed by \d+ rules/)
    expect(out).toBe(gunzipSync(readFileSync(SAMPLE)).toString())
  })
})
