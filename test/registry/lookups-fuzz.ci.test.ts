import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EngineError } from '../../engine/shared/errors.ts'
import { DEMO_NAACCR, loadDemoNaaccr } from '../../fixtures/naaccr/items.ts'
import { DEMO_SURGERY, loadDemoSurgery } from '../../fixtures/surgery/tables.ts'
import { depth } from '../depth.ts'
import { successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'

// Any request for surgery tables and items, and any import, has an answer or a refusal as described.

let world: RegistryWorld
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-lookups-fuzz-'))
  world = await openRegistry({ logLevel: 'error' })
  await loadDemoNaaccr(world.engine.registry, folder)
  await loadDemoSurgery(world.engine.registry, folder)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const odd = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e9',
    ' ',
    '%',
    '..',
    '__proto__',
    'latest',
    'C182',
    '8140',
    'C18',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed()),
)
const oneOf = (...likely: readonly string[]) => fc.oneof(fc.constantFrom(...likely), odd)
const year = oneOf(String(DEMO_SURGERY.year), 'latest', '2021', '1066', '9999', '0x7e4')
const version = oneOf(DEMO_NAACCR.version, 'latest', '210', '77')
const item = oneOf(DEMO_NAACCR.id, DEMO_NAACCR.number, `0${DEMO_NAACCR.number}`, '1e3')
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom('title', 'site', 'hist', 'q', 'count', 'version_implemented', 'unknown'),
      oneOf(
        DEMO_SURGERY.title,
        DEMO_SURGERY.site,
        DEMO_SURGERY.hist,
        'made',
        '21',
        '1',
        'C000-C999',
      ),
    ),
    { maxLength: 4 },
  )
  .map((pairs) => new URLSearchParams(pairs).toString())
const at = encodeURIComponent
const target = fc.oneof(
  fc.tuple(year, query).map(([one, asked]) => `/rest/surgery/${at(one)}/table?${asked}`),
  year.map((one) => `/rest/surgery/${at(one)}/tables`),
  fc.tuple(version, query).map(([one, asked]) => `/rest/naaccr/${at(one)}?${asked}`),
  fc.tuple(version, item).map(([one, of]) => `/rest/naaccr/${at(one)}/${at(of)}`),
)

test('years, tables, versions and items are answered by 200 or a refusal, never by a failure', async () => {
  const statuses = new Map<number, number>()
  const property = fc.asyncProperty(target, async (path) => {
    const response = await world.ask(`GET ${path}`, { who: 'reader' })
    const { status } = response
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status === 200) return void (await successOf(response, 200))
    expect([400, 404]).toContain(status)
    const body = (await response.json()) as Record<string, unknown>
    expect(Object.keys(body)).toEqual(['timestamp', 'status', 'error', 'message', 'path'])
    expect([body.status, body.message]).toEqual([status, expect.stringMatching(/./)])
  })
  await fc.assert(property, { seed: 85, numRuns: depth(300, 1000, 30_000) })
  for (const status of [200, 400, 404]) expect(statuses.get(status)).toBeGreaterThan(20)
  expect(world.lines).toEqual([])
})

const TABLES = `<surgery-tables version="2019" version-name="Made up"><surgery-table title="A">
<site-inclusion>C180-C189,C200</site-inclusion><hist-exclusion>9700-9799</hist-exclusion>
<pre-note><![CDATA[<b>x</b>]]></pre-note><row level="1"><code>00</code><description>None</description></row>
<row break="true"/><row><code/><description>note</description></row></surgery-table></surgery-tables>`
const DICTIONARY = `<NaaccrDictionary dictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-220.xml"
naaccrVersion="220" dateLastModified="2024-01-01T00:00:00Z" xmlns="http://naaccr.org/naaccrxml"><ItemDefs>
<ItemDef naaccrId="one" naaccrNum="1" naaccrName="One" length="1" recordTypes="A,M" parentXmlElement="Tumor"/>
<ItemDef naaccrId="two" naaccrNum="2" naaccrName="Two" length="2" recordTypes="A" parentXmlElement="Patient"
dataType="digits"/></ItemDefs></NaaccrDictionary>`

/** A text with parts cut out, doubled or exchanged. */
const bent = (text: string) =>
  fc
    .array(
      fc.record({
        start: fc.nat(text.length),
        length: fc.oneof(fc.constantFrom(0, 1), fc.nat(60)),
        by: fc.oneof(
          fc.constantFrom(
            '',
            '"',
            '<',
            '>',
            '&',
            '&#0;',
            '<row/>',
            '2',
            'C',
            '-',
            '<!DOCTYPE a>',
            '<ItemDef/>',
          ),
          fc.constant(undefined),
        ),
      }),
      { maxLength: 3 },
    )
    .map((cuts) =>
      cuts.reduce((one, { start, length, by }) => {
        const part = one.slice(start, start + length)
        return one.slice(0, start) + (by ?? part + part) + one.slice(start + length)
      }, text),
    )

describe.each([
  ['surgery tables', TABLES, 'tables.xml'],
  ['a dictionary', DICTIONARY, 'dictionary.xml'],
] as const)('%s of which parts are cut out, doubled or exchanged', (of, text, file) => {
  test('are taken or refused in words, and what is stored stays whole', async () => {
    const { naaccr, surgery } = world.engine.registry
    const path = join(folder, file)
    const take = () =>
      of === 'a dictionary' ? naaccr.import({ dictionary: path }) : surgery.import([path])
    const codes = new Map<string, number>()
    const property = fc.asyncProperty(bent(text), async (given) => {
      await writeFile(path, given)
      let code = 'taken'
      await take().catch((error: unknown) => {
        if (!(error instanceof EngineError)) throw error
        ;({ code } = error)
      })
      codes.set(code, (codes.get(code) ?? 0) + 1)
      // Accepted data never cause a failure.
      const asked = of === 'a dictionary' ? '/rest/naaccr/22' : '/rest/surgery/2019/tables'
      const response = await world.ask(`GET ${asked}`, { who: 'reader' })
      if (code === 'taken') expect([200, 400]).toContain(response.status)
      else expect(response.status).toBeLessThan(500)
      await response.text()
    })
    await fc.assert(property, { seed: 86, numRuns: depth(150, 150, 10_000) })
    expect([...codes.keys()].toSorted()).toEqual(['bad_input', 'taken'])
    for (const count of codes.values()) expect(count).toBeGreaterThan(10)
    expect(world.lines).toEqual([])
  })
})
