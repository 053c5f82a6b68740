import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { OWN_DICTIONARY } from '../../engine/submission/dictionary/dictionary.ts'
import { sample } from '../depth.ts'
import { fileOf } from '../submission/support/documents.ts'
import { ServedSubmission } from '../submission/support/served.ts'
import { idOf, MadeSubmission } from '../submission/support/service.ts'

// Which entities may a client create with an id of its choice? This covers every type of the dictionary. The id
// of a file decides where its bytes are stored.

const P = 'GDC-INTERNAL'
const PATH = '/submission/GDC/INTERNAL'

interface TypeFile {
  readonly id: string
  readonly submittable?: boolean
  readonly systemProperties?: readonly string[]
  readonly uniqueKeys?: readonly (readonly string[])[]
  readonly properties?: Readonly<Record<string, unknown>>
}

const TYPES = readdirSync(OWN_DICTIONARY)
  .filter((name) => name.endsWith('.yaml') && !name.startsWith('_') && name !== 'metaschema.yaml')
  .map((name) => parse(readFileSync(join(OWN_DICTIONARY, name), 'utf8')) as TypeFile)

const isFile = ({ systemProperties = [] }: TypeFile) => systemProperties.includes('file_state')
const hasProject = ({ uniqueKeys = [], properties = {} }: TypeFile) =>
  uniqueKeys.flat().includes('project_id') || 'project_id' in properties

let made: MadeSubmission
let served: ServedSubmission
beforeAll(async () => {
  made = await MadeSubmission.open()
  served = new ServedSubmission(made.submission)
  served.know('submitter', { [P]: ['read', 'create', 'update', 'delete', 'release'] })
})
beforeEach(async () => {
  await made.reset()
  await made.register(P)
})
afterAll(() => made.close())

async function problemsOf(method: string, document: object, as: string) {
  const { status, body } = await served.ask(method, PATH, { body: document, as })
  const [entity] = body.entities ?? []
  const problems = entity?.errors.map(({ keys, type }) => `${keys} ${type}`)
  return { status, action: entity?.action, id: entity?.id, problems }
}

const refusedBy = (problem: string) => ({
  status: 400,
  action: null,
  id: null,
  problems: [problem],
})
const UNSUBMITTABLE = refusedBy('type INVALID_PERMISSIONS')
const NOT_GIVEN = refusedBy('id INVALID_PROPERTY')

test('the dictionary has 35 types of files, and 39 of projects that are not submittable', () => {
  const names = TYPES.filter(isFile).map(({ id }) => id)
  expect(names).toEqual(expect.arrayContaining(['aligned_reads_index', 'somatic_mutation_index']))
  expect(names).toHaveLength(35)
  expect(TYPES.filter(hasProject).filter(({ submittable }) => !submittable)).toHaveLength(39)
})

test('no file of any type gets the id that a client gives', async () => {
  for (const type of sample(TYPES.filter(isFile), 9)) {
    for (const method of ['POST', 'PUT']) {
      const document = { ...fileOf('some'), type: type.id, id: crypto.randomUUID() }
      for (const as of ['submitter', 'admin']) {
        const wanted = type.submittable || as === 'admin' ? NOT_GIVEN : UNSUBMITTABLE
        const heard = await problemsOf(method, document, as)
        expect([type.id, method, as, heard]).toEqual([type.id, method, as, wanted])
      }
    }
  }
  expect(await entities()).toBe(0)
})

test('nothing of a type that is not for submitters is taken from them', async () => {
  const types = TYPES.filter(hasProject).filter(({ submittable }) => !submittable)
  for (const type of sample(types, 9)) {
    await made.seed(P, { type: type.id, name: `seeded ${type.id}`, isFile: isFile(type) })
    for (const method of ['POST', 'PUT', 'PATCH']) {
      for (const name of ['new', `seeded ${type.id}`]) {
        const document = { type: type.id, submitter_id: name }
        const heard = await problemsOf(method, document, 'submitter')
        expect([type.id, method, name, heard]).toEqual([type.id, method, name, UNSUBMITTABLE])
        const { problems = [] } = await problemsOf(`${method}`, { ...document, id: 5 }, 'admin')
        expect(problems).not.toContain('type INVALID_PERMISSIONS')
      }
    }
  }
})

test('a dry run of an administrator is not committed by a submitter', async () => {
  await made.seed(P, { type: 'case', name: 'C' })
  const annotation = {
    type: 'annotation',
    submitter_id: 'N',
    cases: { submitter_id: 'C' },
    category: 'General',
    classification: 'Observation',
    notes: 'a remark',
  }
  const dry = await served.ask('POST', `${PATH}/_dry_run`, { body: annotation })
  expect([dry.status, dry.body.success]).toEqual([200, true])
  const commit = `${PATH}/transactions/${dry.body.transaction_id}/commit`
  const { status, body } = await served.ask('POST', commit, { as: 'submitter' })
  expect([status, body.entities[0]?.errors[0]?.type]).toEqual([400, 'INVALID_PERMISSIONS'])
})

test('an entity of the own project is updated by its id', async () => {
  await made.seed(P, { type: 'case', name: 'C' })
  const seeded = fileOf('F')
  const { type: _, submitter_id: __, ...properties } = seeded
  const links = { cases: 'C' }
  await made.seed(P, { type: 'clinical_supplement', name: 'F', isFile: true, properties, links })
  for (const method of ['PUT', 'PATCH']) {
    const document = { ...seeded, id: idOf('F').toUpperCase(), file_name: `${method}.xml` }
    const heard = await problemsOf(method, document, 'submitter')
    expect(heard).toEqual({ status: 200, action: 'update', id: idOf('F'), problems: [] })
  }
})

async function entities(): Promise<number> {
  const sql = 'SELECT count(*) AS count FROM submission_entities'
  return (await made.database.ask<{ count: number }>(sql))[0]?.count ?? -1
}
