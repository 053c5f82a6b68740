import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine } from '../../../../engine/index.ts'
import { inlineExecutor } from '../../../../engine/shared/index.ts'
import type { JsonObject } from '../../../../engine/shared/input/json-value.ts'
import { buildMadeRelease } from '../../../../fixtures/release/build-made.ts'
import { MADE_NAMES } from '../../../../fixtures/release/scale.ts'
import type { App } from '../../../../server/http/compose.ts'
import { depth, sample } from '../../../depth.ts'
import { openEngine } from '../../../places.ts'
import { membersOf } from '../../contract/support/archives.ts'
import { appOf } from '../../search/support/app.ts'
import type { GivenSource } from '../support/documents.ts'
import { endWorld, worldOf } from '../support/world.ts'
import { differences, SHOWN, valuesOf } from './support/differences.ts'
import { type Imported, written } from './support/imported.ts'

// The service's own exports can be imported into an empty folder, with every value that their form contains.

let folder = ''
let engine: Engine
let app: App

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-exports-'))
  const dataFolder = join(folder, 'data')
  const scale = depth(0, 0, 1) === 1 ? 'demo' : 'tiny'
  await buildMadeRelease({ dataFolder, executor: inlineExecutor, scale, seed: 5 })
  engine = await openEngine({ dataFolder, executor: inlineExecutor })
  await engine.start()
  app = appOf(engine)
})
afterAll(async () => {
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

/** An export, and which parts of the records it contains. */
interface Form {
  readonly name: string
  files(app: App): Promise<readonly GivenSource[]>
  carried(app: App): Promise<Imported['records']>
  /** Whether the files contain a value; if absent, they contain everything that the form can. */
  isIn?(files: readonly GivenSource[]): (place: string) => boolean
}

/** More records than any dataset has. */
const ALL = 1_000_000

async function bytesOf(app: App, path: string, request: object = {}): Promise<Buffer> {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ size: ALL, ...request })
  const answer = await app.request(path, { method: 'POST', headers, body })
  expect(answer.status, path).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

async function jsonOf<Answer>(app: App, path: string, request: object = {}): Promise<Answer> {
  return JSON.parse((await bytesOf(app, path, { ...request, format: 'JSON' })).toString())
}

async function fieldsOf(app: App, dataset: string): Promise<string> {
  const mapping = await (await app.request(`/${dataset}/_mapping`)).json()
  return (mapping as { readonly fields: readonly string[] }).fields.join()
}

async function hitsOf(app: App, dataset: string, fields: string): Promise<readonly JsonObject[]> {
  const { data } = await jsonOf<{ data: { hits: JsonObject[] } }>(app, `/${dataset}`, { fields })
  return data.hits
}

/** Search answers with all fields of all datasets. */
const searchAnswers = (format: string): Form => ({
  name: `search answers as ${format}`,
  files: (app) =>
    Promise.all(
      MADE_NAMES.map(async (dataset) => ({
        name: `${dataset}.${format.toLowerCase()}`,
        content: await bytesOf(app, `/${dataset}`, {
          ...{ format, fields: await fieldsOf(app, dataset) },
        }),
      })),
    ),
  carried: async (app) =>
    Object.fromEntries(
      await Promise.all(
        MADE_NAMES.map(async (dataset) => [
          dataset,
          await hitsOf(app, dataset, await fieldsOf(app, dataset)),
        ]),
      ),
    ),
})

const caseTables = (kind: 'clinical' | 'biospecimen'): Form => ({
  name: `${kind} tables of cases`,
  async files(app) {
    const members = await membersOf(await bytesOf(app, `/${kind}_tar`))
    return members.map(({ name, bytes }) => ({ name, content: bytes }))
  },
  carried: async (app) => ({ cases: await jsonOf<JsonObject[]>(app, `/${kind}_tar`) }),
  // A JSON answer has whole cases.
  isIn(files) {
    const columns = new Set(
      files.flatMap(({ content }) => String(content).split('\n', 1)[0]?.split('\t') ?? []),
    )
    return (place) => columns.has(columnOf(place))
  },
})

/** What the portal saves as clinical.cohort.json and biospecimen.cohort.json. */
const casesAsJson = (kind: 'clinical' | 'biospecimen'): Form => ({
  name: `${kind} records of cases as JSON`,
  files: async (app) => [
    { name: `${kind}.json`, content: await bytesOf(app, `/${kind}_tar`, { format: 'JSON' }) },
  ],
  carried: async (app) => ({ cases: await jsonOf<JsonObject[]>(app, `/${kind}_tar`) }),
})

/** What the portal posts for metadata.cart.json. */
const CART = {
  ...{ attachment: true, filename: 'metadata.cart.json' },
  fields: [
    ...['state', 'access', 'md5sum', 'data_format', 'data_type', 'data_category', 'file_name'],
    ...['file_size', 'file_id', 'platform', 'experimental_strategy', 'submitter_id'],
    ...['associated_entities.entity_id', 'associated_entities.entity_type'],
    ...['associated_entities.case_id', 'associated_entities.entity_submitter_id'],
    ...['analysis.analysis_id', 'analysis.workflow_type', 'analysis.updated_datetime'],
    ...['analysis.input_files.file_id', 'analysis.metadata.read_groups.read_group_id'],
  ].join(),
  expand:
    'annotations,archive,associated_entities,center,analysis,analysis.input_files,analysis.metadata,index_files',
}

const cart: Form = {
  name: 'metadata of a cart',
  files: async (app) => [
    {
      name: 'metadata.cart.json',
      content: await bytesOf(app, '/files', { ...CART, format: 'JSON' }),
    },
  ],
  carried: async (app) => ({ files: await jsonOf<JsonObject[]>(app, '/files', CART) }),
}

/** The column of a case's value: its name preceded by that of its entity. */
function columnOf(place: string): string {
  const [entity = '', name] = [
    'cases',
    ...place
      .replace(/\[[^\]]*\]/g, '')
      .split('.')
      .slice(1),
  ].slice(-2)
  return `${entity}.${name}`
}

const manifest: Form = {
  name: 'a download manifest',
  files: async (app) => [
    { name: 'manifest.txt', content: await bytesOf(app, '/files', { return_type: 'manifest' }) },
  ],
  carried: async (app) => ({
    files: await hitsOf(app, 'files', 'file_id,file_name,md5sum,file_size,state'),
  }),
}

/** A file's samples are completed from its case, including fields that the answer lacks. */
const isCompleted = ({ place, one }: ReturnType<typeof differences>[number]) =>
  one === undefined && /^files .*\.samples\[/.test(place)

/**
 * Differences that a table cannot express: JSON's `true` and the text, which searches treat as one value, and an
 * empty text and a missing one.
 */
const isSameCell = ({ one, other }: ReturnType<typeof differences>[number]) =>
  (typeof other === 'boolean' && one === String(other)) || (one === '' && other === undefined)

const FORMS: readonly Form[] = [
  caseTables('clinical'),
  ...['TSV', 'CSV', 'JSON', 'NDJSON'].map(searchAnswers),
  caseTables('biospecimen'),
  casesAsJson('clinical'),
  casesAsJson('biospecimen'),
  cart,
  manifest,
]

describe('what is exported is imported with the same values', () => {
  for (const form of sample(FORMS, 1, FORMS.length)) {
    test(`as ${form.name}`, async () => {
      const files = await form.files(app)
      const place = await mkdtemp(join(folder, 'form-'))
      const copy = await worldOf(...(await written(place, files)))
      try {
        const [before, after] = [
          valuesOf(await form.carried(app)),
          valuesOf(await form.carried(copy.app)),
        ]
        expect(before.size).toBeGreaterThan(100)
        const isIn = form.isIn?.(files) ?? (() => true)
        const found = differences(before, after).filter(
          (each) => isIn(each.place) && !isSameCell(each) && !isCompleted(each),
        )
        expect(found.slice(0, SHOWN)).toEqual([])
      } finally {
        await endWorld(copy)
      }
    })
  }
})
