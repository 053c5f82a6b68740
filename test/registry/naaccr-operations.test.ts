import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { MAX_BATCHES } from '../../engine/registry/ndjson-batch/limits.ts'
import {
  DEMO_CONVERSION,
  DEMO_CONVERSION_RULES,
  DEMO_NAACCR,
  DEMO_REGISTRY_FILE,
  loadDemoNaaccr,
} from '../../fixtures/naaccr/items.ts'
import { demoStagingZip } from '../../fixtures/staging/algorithm.ts'
import { eventually } from '../eventually.ts'
import { describeArea, type Step } from './support/area-tests.ts'
import type { RegistryWorld } from './support/registry-world.ts'

// Every operation of the documentation of items with every status that it declares.

const VERSIONS = 'GET /rest/naaccr/versions'
const LIST = 'GET /rest/naaccr/{version}'
const ITEM = 'GET /rest/naaccr/{version}/{id}'
const PROCESS = 'POST /rest/naaccr/process'
const EDITS = 'POST /rest/naaccr/edits'
const CONVERT = 'POST /rest/naaccr/convert'

const area = await describeArea({
  area: 'naaccr',
  names: { version: DEMO_NAACCR.version, id: DEMO_NAACCR.id },
  unknown: { version: '77', id: 'nowhere' },
  rolesFor: () => [],
  reads: /(?:process|edits|convert)$/,
  repeatable: ['recode'],
  queryOf: (operation) => {
    if (operation === PROCESS) return 'algorithm=none&version=1.0'
    return operation === CONVERT ? 'rules=none' : undefined
  },
  async prepare({ engine, place }: RegistryWorld) {
    const conversions = join(place.dataFolder, 'conversions')
    await mkdir(conversions)
    await writeFile(join(conversions, `${DEMO_CONVERSION}.txt`), DEMO_CONVERSION_RULES)
    await writeFile(join(conversions, 'broken.txt'), 'convert D0010\nname: One\n')
    const folder = await mkdtemp(join(tmpdir(), 'casemill-naaccr-operations-'))
    await loadDemoNaaccr(engine.registry, folder)
    const archive = join(folder, 'demo.zip')
    await writeFile(archive, demoStagingZip())
    await engine.registry.staging.import(archive, { user: 'demo' })
    await rm(folder, { recursive: true })
  },
})

const STEPS: readonly Step[] = [
  [VERSIONS, 200],
  [LIST, 200],
  [LIST, 200, { version: 'latest', query: 'q=made+site&count=1&version_implemented=21' }],
  [LIST, 200, { query: 'q=zzzz' }],
  [LIST, 400, { version: '77' }],
  [LIST, 400, { version: '210' }],
  [LIST, 400, { version: '__proto__' }],
  [LIST, 400, { query: 'count=0' }],
  [LIST, 400, { query: 'count=x' }],
  [LIST, 400, { query: `q=${'x'.repeat(1001)}` }],
  [ITEM, 200],
  [ITEM, 200, { version: 'latest', id: DEMO_NAACCR.number }],
  [ITEM, 404, { id: 'nowhere' }],
  [ITEM, 404, { id: '1' }],
  [ITEM, 404, { id: DEMO_NAACCR.id.toUpperCase() }],
  [ITEM, 404, { id: `0${DEMO_NAACCR.number}` }],
  [ITEM, 404, { id: '99999999999999999999' }],
  [ITEM, 404, { version: '77' }],
]

area.testSteps('each of them', STEPS)
area.testRefusals()
area.testRoles()

test('versions is a path of its own, and no version', async () => {
  expect(await area.take([VERSIONS, 200])).toMatchObject([{ version: DEMO_NAACCR.version }])
})

test('parameters that are not known are ignored, and reported', async () => {
  const response = await area.world.ask(`GET /rest/naaccr/latest?quer=x`)
  expect(response.status).toBe(200)
  expect(response.headers.get('x-warnings')).toContain('quer')
})

describe('a file', () => {
  const QUERY = 'algorithm=demo&version=1.0'
  interface Sent {
    readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
    readonly query?: string
    readonly headers?: Readonly<Record<string, string>>
  }
  async function process({ body = DEMO_REGISTRY_FILE, query = QUERY, headers = {} }: Sent = {}) {
    const { app, secrets } = area.world
    const response = await app.request(`/rest/naaccr/process?${query}`, {
      method: 'POST',
      headers: { 'X-SEERAPI-Key': secrets.reader, 'Content-Type': 'application/xml', ...headers },
      body,
      duplex: 'half',
    })
    area.cover(PROCESS, response.status)
    return response
  }
  const gzip = { 'Content-Encoding': 'gzip' }
  const linesOf = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))

  test.each([
    ['as it is', {}],
    ['as gzip', { body: gzipSync(DEMO_REGISTRY_FILE), headers: gzip }],
  ])('%s is answered line by line, and the summary comes last', async (_, sent) => {
    const response = await process(sent)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const lines = linesOf(await response.text())
    expect(lines).toMatchObject([
      {
        line: 4,
        patientIdNumber: '00000001',
        tumors: [{ line: 6, result: 'STAGED', schema_id: 'bowel', recodes: { seer: {} } }],
      },
      { line: 13, tumors: [{ line: 15 }], faults: [{ code: 'too_long', item: 'madeUpSite' }] },
      { summary: { patients: 2, tumors: 2 } },
    ])
    expect(lines[2].summary.counts).toContainEqual({
      kind: 'fault',
      code: 'too_long',
      of: 'madeUpSite',
      count: 1,
      line: 17,
    })
  })

  test('recodes and another format are asked for', async () => {
    const table = await process({ query: `${QUERY}&format=tsv&recode=behavior,seer:2023` })
    expect(table.headers.get('content-type')).toBe('text/tab-separated-values')
    const rows = (await table.text()).trimEnd().split('\n')
    expect(rows).toHaveLength(3)
    expect(rows[0]).toMatch(/^line\tpatientIdNumber\t.*\tbehavior\.\w+\tseer\.site_group\t/)
    const none = await process({ query: `${QUERY}&recode=none` })
    expect(linesOf(await none.text())[0].tumors[0]).not.toHaveProperty('recodes')
    const written = await process({ query: `${QUERY}&format=xml` })
    expect(written.headers.get('content-type')).toBe('application/xml')
    // The demo's results belong to no item.
    expect(await written.text()).toBe(DEMO_REGISTRY_FILE)
  })

  const cut = DEMO_REGISTRY_FILE.slice(0, -20)
  test.each<[string, Sent, number, RegExp]>([
    ['that is no XML', { body: 'SECRET' }, 400, /line 1/],
    ['that is empty', { body: '' }, 400, /ends before <NaaccrData>/],
    [
      'of a version without a dictionary',
      { body: DEMO_REGISTRY_FILE.replace('-210', '-250') },
      400,
      /NAACCR 250 is not there; .*import naaccr naaccr-dictionary-250\.xml/,
    ],
    ['that is no gzip, though it says so', { headers: gzip }, 400, /no whole gzip/],
    [
      'that is gzip, though it does not say so',
      { body: gzipSync(DEMO_REGISTRY_FILE) },
      400,
      /UTF-8/,
    ],
    [
      'of all algorithms, of which the table has none',
      { query: 'algorithm=auto' },
      404,
      /table of algorithms/,
    ],
    [
      'of two algorithms of which one is none',
      { query: 'algorithm=demo,none' },
      404,
      /no algorithm .*none/,
    ],
    ['of a version that is none', { query: 'algorithm=demo&version=9' }, 404, /./],
    ['without an algorithm', { query: 'version=1.0' }, 400, /'algorithm'/],
    ['with a format that is none', { query: `${QUERY}&format=csv` }, 400, /./],
    ['with a recode that is none', { query: `${QUERY}&recode=sear` }, 400, /seer/],
    [
      'of another type',
      { headers: { 'Content-Type': 'application/json' } },
      415,
      /application\/xml/,
    ],
    ['of another coding', { headers: { 'Content-Encoding': 'br' } }, 415, /coding/],
  ])('%s is refused', async (_, sent, status, message) => {
    const response = await process(sent)
    expect(response.status).toBe(status)
    expect(await response.text()).toMatch(message)
  })

  test.each([
    ['cut off', { body: cut }, /line \d+/],
    [
      'cut off within its gzip',
      { body: gzipSync(many(400)).subarray(0, -30), headers: gzip },
      /gzip/,
    ],
  ])('that is %s ends by its error, never as a whole one', async (_, sent, message) => {
    for (const format of ['ndjson', 'tsv', 'xml']) {
      const response = await process({ ...sent, query: `${QUERY}&format=${format}` })
      const told: string[] = []
      const read = async () => {
        for await (const chunk of response.body ?? []) told.push(Buffer.from(chunk).toString())
      }
      if (response.status === 400) {
        expect(await response.text()).toMatch(message)
        continue
      }
      await expect(read()).rejects.toThrow()
      if (format !== 'ndjson') continue
      expect(linesOf(told.join('')).at(-1)).toMatchObject({
        error: { code: 'bad_input', message: expect.stringMatching(message) },
      })
    }
  })

  test('that is cut off ends by a line where the client asks for it, as browsers do', async () => {
    const response = await process({ body: cut, query: `${QUERY}&finish=true` })
    const lines = linesOf(await response.text())
    expect(lines).toHaveLength(2)
    expect(lines.at(-1)).toMatchObject({
      error: { code: 'bad_input', message: expect.stringMatching(/go on from line \d+/) },
    })
    const table = await process({ body: cut, query: `${QUERY}&finish=true&format=tsv` })
    await expect(table.text()).rejects.toThrow()
  })

  test('has its items repeated with each tumor, unless it cannot have them', async () => {
    const repeated = await process({ query: `${QUERY}&items=primarySite,dateOfDiagnosis` })
    const [first, second] = linesOf(await repeated.text())
    expect(first.tumors[0].items).toEqual({ primarySite: 'C182', dateOfDiagnosis: '20230131' })
    expect(second.tumors[0].items).toEqual({ primarySite: 'C999' })
    const refused = await process({ query: `${QUERY}&items=nothing` })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toMatch(/no item nothing/)
  })

  test('that inflates beyond measure is refused before it is read to its end', async () => {
    const [begin = '', end = ''] = DEMO_REGISTRY_FILE.split('  <Patient>')
    // The texts are nearly as large as a patient may be; after that, the answer has begun.
    const texts = `${'€'.repeat(300_000)}<!-- -->`.repeat(4)
    const bomb = gzipSync(`${begin}<Patient><Tumor><Item naaccrId="primarySite">${texts}`)
    const response = await process({ body: bomb, headers: gzip })
    expect(response.status).toBe(413)
    expect(await response.text()).toMatch(/inflates to more than 200 times/)
    const text = gzipSync(`${begin}${' '.repeat(40 << 20)}<Patient>${end}`)
    const refused = await process({ body: text, headers: gzip })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toMatch(/a text, comment or name has more than 1048576 characters/)
  })

  test('whose client leaves midway gives its place back', async () => {
    for (let i = 0; i <= MAX_BATCHES; i++) {
      const sender = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>()
      const body = new ReadableStream<Uint8Array>({ start: (given) => sender.resolve(given) })
      const begun = process({ body })
      const client = await sender.promise
      client.enqueue(Buffer.from(many(400).slice(0, -20)))
      const { status, body: answer } = await begun
      expect(status).toBe(200)
      client.error(new Error('the client has left'))
      await expect(new Response(answer).text()).rejects.toThrow()
    }
    await eventually(() =>
      expect(area.world.engine.registry.load()).toMatchObject({ activeBatches: 0 }),
    )
  })

  test('when as many as may be are under way is 503', async () => {
    const begin = () =>
      process({
        body: new ReadableStream<Uint8Array>({
          start: (sender) => sender.enqueue(Buffer.from(many(400).slice(0, -20))),
        }),
      })
    const begun = await Promise.all(Array.from({ length: MAX_BATCHES }, begin))
    expect(begun.map(({ status }) => status)).toEqual(begun.map(() => 200))
    expect((await process()).status).toBe(503)
    await Promise.all(begun.map(({ body }) => body?.cancel()))
    await eventually(async () => {
      const { status, body } = await process()
      await body?.cancel()
      expect(status).toBe(200)
    })
  })
})

describe('conversion of a file', () => {
  const convert = (query = `rules=${DEMO_CONVERSION}`, sent: Sent = {}) =>
    sendTo(CONVERT, { query: `?${query}`, ...sent })

  test('is the file with the new codes, and its other lines as they were', async () => {
    const sorted = (text: string) => text.split('\n').toSorted()
    const wanted = sorted(DEMO_REGISTRY_FILE.replace('M0001', 'MADE'))
    const response = await convert()
    const type = response.headers.get('content-type')
    expect([response.status, type]).toEqual([200, 'application/xml'])
    expect(sorted(await response.text())).toEqual(wanted)
    const packed = await convert(undefined, {
      body: gzipSync(DEMO_REGISTRY_FILE),
      headers: { 'Content-Encoding': 'gzip' },
    })
    expect(sorted(await packed.text())).toEqual(wanted)
  })

  test('is told line by line, and the summary comes last', async () => {
    const response = await convert(`rules=${DEMO_CONVERSION}&format=ndjson`)
    const lines = (await response.text()).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { line: 4, patientIdNumber: '00000001' },
      { line: 13, patientIdNumber: '00000002' },
      {
        summary: {
          ...{ patients: 2, tumors: 2, rules: 2, notApplied: [] },
          counts: expect.arrayContaining([
            expect.objectContaining({
              kind: 'converted',
              code: 'D0010',
              of: 'madeUpSite',
              count: 1,
            }),
            expect.objectContaining({ kind: 'review', code: 'D0020', count: 1 }),
          ]),
        },
      },
    ])
    const table = await (await convert(`rules=${DEMO_CONVERSION}&format=tsv`)).text()
    expect(table).toContain('M0001\tMADE')
  })

  test.each([
    ['rules=demi', 404, 'there are no conversion rules "demi"; did you mean "demo"?'],
    ['rules=../conversions/demo', 404, 'there are no conversion rules'],
    ['rules=demo.txt', 404, 'there are no conversion rules'],
    ['rules=broken', 400, 'broken.txt'],
    ['', 400, "Required parameter 'rules' is not present."],
    ['rules=demo&format=pdf', 400, 'format'],
  ])('%s: %d', async (query, status, message) => {
    const response = await convert(query)
    expect([response.status, await response.text()]).toEqual([
      ...[status, expect.stringContaining(JSON.stringify(message).slice(1, -1))],
    ])
  })
})

interface Sent {
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function sendTo(
  operation: string,
  { body = DEMO_REGISTRY_FILE, query = '', headers = {} }: Sent = {},
) {
  const { app, secrets } = area.world
  const response = await app.request(`${operation.replace('POST ', '')}${query}`, {
    method: 'POST',
    headers: { 'X-SEERAPI-Key': secrets.reader, 'Content-Type': 'application/xml', ...headers },
    body,
    duplex: 'half',
  })
  area.cover(operation, response.status)
  return response
}

describe('edits of a file', () => {
  const edit = (sent?: Sent) => sendTo(EDITS, sent)

  test('are answered line by line, and the summary comes last', async () => {
    const response = await edit()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      { line: 4, patientIdNumber: '00000001', tumors: [{ line: 6 }] },
      {
        line: 13,
        tumors: [{ line: 15, edits: [{ number: 'S0010', items: ['madeUpSite'], line: 17 }] }],
      },
      { summary: { patients: 2, tumors: 2 } },
    ])
    expect(lines[2].summary.counts).toContainEqual({
      kind: 'edit',
      code: 'S0010',
      count: 1,
      line: 17,
    })
  })

  test('are a table where that is asked for', async () => {
    const body = gzipSync(DEMO_REGISTRY_FILE)
    const response = await edit({
      body,
      query: '?format=tsv',
      headers: { 'Content-Encoding': 'gzip' },
    })
    expect(response.headers.get('content-type')).toBe('text/tab-separated-values')
    const [header, first] = (await response.text()).split('\n')
    expect(header).toMatch(/^line\tpatientIdNumber\t/)
    expect(first).toMatch(/^17\t\S*\t\S*\tS0010\t/)
  })
})

describe.each([
  [EDITS, '', '?format=xml'],
  [CONVERT, `?rules=${DEMO_CONVERSION}`, `?rules=${DEMO_CONVERSION}&format=pdf`],
])('results of %s', (operation, query, wrongQuery) => {
  const edit = (sent?: Sent) => sendTo(operation, { query, ...sent })

  test.each<[string, Sent, number, RegExp]>([
    ['that is no XML', { body: 'SECRET' }, 400, /line 1/],
    ['with a format that is none', { query: wrongQuery }, 400, /./],
    ['of another type', { headers: { 'Content-Type': 'application/json' } }, 415, /xml/],
  ])('of one %s are refused', async (_, sent, status, message) => {
    const response = await edit(sent)
    expect(response.status).toBe(status)
    expect(await response.text()).toMatch(message)
  })

  test('of one that inflates beyond measure are refused', async () => {
    const [begin = ''] = DEMO_REGISTRY_FILE.split('  <Patient>')
    const texts = `${'€'.repeat(300_000)}<!-- -->`.repeat(4)
    const bomb = gzipSync(`${begin}<Patient><Tumor><Item naaccrId="primarySite">${texts}`)
    const response = await edit({ body: bomb, headers: { 'Content-Encoding': 'gzip' } })
    expect(response.status).toBe(413)
    expect(await response.text()).toMatch(/inflates to more than 200 times/)
    await eventually(() =>
      expect(area.world.engine.registry.load()).toMatchObject({ activeBatches: 0 }),
    )
  })

  test('count among batches: when as many as may be are under way they are 503', async () => {
    await eventually(() =>
      expect(area.world.engine.registry.load()).toMatchObject({ activeBatches: 0 }),
    )
    const begin = () =>
      edit({
        body: new ReadableStream<Uint8Array>({
          start: (sender) => sender.enqueue(Buffer.from(many(400).slice(0, -20))),
        }),
      })
    const begun = await Promise.all(Array.from({ length: MAX_BATCHES }, begin))
    expect(begun.map(({ status }) => status)).toEqual(begun.map(() => 200))
    expect((await edit()).status).toBe(503)
    await Promise.all(begun.map(({ body }) => body?.cancel()))
    await eventually(async () => {
      const { status, body } = await edit()
      await body?.cancel()
      expect(status).toBe(200)
    })
  })
})

/** The file with its first patient repeated. */
function many(count: number): string {
  const [begin, first, rest] = DEMO_REGISTRY_FILE.split('  <Patient>')
  return `${begin}${`  <Patient>${first}`.repeat(count)}  <Patient>${rest}`
}

area.testSeen({
  unsaid: /zzzz|nowhere|madeUp|BAD KEY|SECRET|00000001|C182|20230131/,
  said: LIST.slice(4),
})
