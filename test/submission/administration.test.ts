import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cloningExecutor } from './support/executors.ts'
import { AS_ADMIN, MadeSubmission } from './support/service.ts'

let made: MadeSubmission
beforeAll(async () => {
  // Large bodies are validated by jobs, to which all data are copied.
  made = await MadeSubmission.open({ executor: cloningExecutor, small: { bytes: 0, weight: 0 } })
})
beforeEach(async () => {
  await made.reset()
  await made.register('GDC-INTERNAL')
})
afterAll(() => made.close())

const PROJECT = 'GDC-INTERNAL'
const AT = { ...AS_ADMIN, program: 'GDC', project: 'INTERNAL' }
const NOBODY = { principal: { user: 'ada', admin: false, projects: new Map() }, tokenGiven: true }

const subject = (submitter_id: string, more: object = {}) => ({
  type: 'case',
  submitter_id,
  disease_type: 'Gliomas',
  primary_site: 'Brain',
  projects: { code: 'INTERNAL' },
  ...more,
})

const problems = ({ entities }: Awaited<ReturnType<MadeSubmission['upload']>>) =>
  entities.flatMap(({ errors }) => errors)

const center = (code: string, more: object = {}) => ({
  type: 'center',
  code,
  namespace: 'lab.example',
  name: `Laboratory ${code}`,
  short_name: 'LAB',
  center_type: 'GSC',
  ...more,
})

const references = (body: object | string, format: 'json' | 'tsv' = 'json') =>
  made.submission.administration.putReferences({
    ...AS_ADMIN,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    format,
  })

test('a project without a list takes cases of everybody', async () => {
  expect(await made.upload('create', PROJECT, [subject('A'), subject('B')])).toMatchObject({
    created_entity_count: 2,
  })
})

test('a project with a list takes new cases of its subjects alone', async () => {
  await made.upload('create', PROJECT, subject('before'))
  const { administration } = made.submission
  const set = await administration.setSubjects({ ...AT, subjects: ['A', 'B', 'B'] })
  expect(set).toEqual({ listed: 2, unlistedCases: 1 })
  const refused = await made.upload('create', PROJECT, [subject('A'), subject('a')])
  // The problems are those of submission.md 7.5 and vector 48.
  expect(problems(refused)).toEqual([
    {
      keys: ['submitter_id'],
      message: "Case submitter_id 'a' not found among the project's subjects.",
      type: 'NOT_FOUND',
    },
  ])
  expect(refused.entities[1]).toMatchObject({ action: 'create', valid: false })
  expect(await made.upload('put', PROJECT, subject('B'))).toMatchObject({ created_entity_count: 1 })
  const changed = await made.upload('put', PROJECT, subject('before', { days_to_consent: 1 }))
  expect(changed).toMatchObject({ updated_entity_count: 1 })
})

test('a case cannot be renamed to somebody who is not listed', async () => {
  await made.upload('create', PROJECT, subject('A'))
  await made.submission.administration.setSubjects({ ...AT, subjects: ['A', 'B'] })
  const to = (name: string) => made.upload('put', PROJECT, subject('A', { new_submitter_id: name }))
  expect(problems(await to('C')).map(({ type }) => type)).toEqual(['NOT_FOUND'])
  expect(await to('B')).toMatchObject({ updated_entity_count: 1 })
})

test('entities other than cases may have any name, and an empty list accepts all cases', async () => {
  const { administration } = made.submission
  await made.upload('create', PROJECT, subject('A'))
  await administration.setSubjects({ ...AT, subjects: ['A'] })
  const sample = { type: 'sample', submitter_id: 'S', cases: { submitter_id: 'A' } }
  const tried = await made.upload('create', PROJECT, sample, { isDryRun: true })
  expect(problems(tried).filter(({ type }) => type === 'NOT_FOUND')).toEqual([])
  expect(await administration.setSubjects({ ...AT, subjects: [] })).toMatchObject({ listed: 0 })
  expect(await made.upload('create', PROJECT, subject('C'))).toMatchObject({ success: true })
})

test('a dry run that a later list forbids cannot be committed', async () => {
  const dry = await made.upload('create', PROJECT, subject('A'), { isDryRun: true })
  await made.submission.administration.setSubjects({ ...AT, subjects: ['B'] })
  const committed = await made.commit(PROJECT, dry.transaction_id)
  expect([committed.status, committed.created_entity_count]).toEqual([400, 0])
})

test('a project that is deleted takes its list along', async () => {
  const { administration, projects } = made.submission
  await administration.setSubjects({ ...AT, subjects: ['A'] })
  await projects.deleteProject(AT)
  await made.register(PROJECT)
  expect(await administration.projects(AS_ADMIN)).toEqual([
    { projectId: PROJECT, state: 'open', released: false, entities: 0, subjects: null },
  ])
})

test('subjects without a name are refused, and so is who is no administrator', async () => {
  const { administration } = made.submission
  for (const name of ['', 'a\0b', '\ud800', 'x'.repeat(2001)]) {
    const set = administration.setSubjects({ ...AT, subjects: ['A', name] })
    await expect(set).rejects.toMatchObject({ code: 'bad_input' })
  }
  for (const refused of [
    administration.setSubjects({ ...AT, ...NOBODY, subjects: ['A'] }),
    administration.projects(NOBODY),
    administration.putReferences({ ...NOBODY, body: Buffer.from('[]'), format: 'json' }),
  ]) {
    await expect(refused).rejects.toMatchObject({ code: 'forbidden' })
  }
  expect(await administration.projects(AS_ADMIN)).toMatchObject([{ subjects: null }])
})

test('centers and sites are linked to by code, by id, or both where they agree', async () => {
  const site = { type: 'tissue_source_site', code: 'A1', name: 'Hospital' }
  expect(await references([center('01'), center('02'), site])).toEqual({
    created: 3,
    updated: 0,
    unchanged: 0,
  })
  const first = subject('A', { tissue_source_sites: { code: 'A1' } })
  expect(await made.upload('create', PROJECT, first)).toMatchObject({ success: true })
  const [stored] = await made.database.read((rows) =>
    rows.all<{ id: string }>(
      "SELECT id FROM submission_references WHERE type = 'tissue_source_site'",
    ),
  )
  const id = stored?.id
  const upload = (link: object) =>
    made.upload('put', PROJECT, subject('B', { tissue_source_sites: link }), { isDryRun: true })
  expect(await upload({ id })).toMatchObject({ success: true })
  expect(await upload({ id, code: 'A1', name: 'Hospital' })).toMatchObject({ success: true })
  for (const link of [{ id, code: '01' }, { code: '01' }, { code: 'a1' }, { name: 'Hospital' }]) {
    expect([link, problems(await upload(link)).map(({ type }) => type)]).toEqual([
      link,
      ['INVALID_LINK'],
    ])
  }
  expect(problems(await upload({ code: '99' }))[0]?.message).toBe(
    "No link destination found for tissue_source_sites, unique_keys='[{'code': '99'}]'",
  )
})

// The link is one_to_one in the dictionary, but all projects share the site.
test('a site has any number of samples', async () => {
  await references([{ type: 'tissue_source_site', code: 'A1' }])
  await made.upload('create', PROJECT, subject('A'))
  const sample = (submitter_id: string) => ({
    type: 'sample',
    submitter_id,
    cases: { submitter_id: 'A' },
    tissue_type: 'Tumor',
    specimen_type: 'Solid Tissue',
    tumor_descriptor: 'Primary',
    preservation_method: 'Frozen',
    tissue_source_sites: { code: 'A1' },
  })
  expect(problems(await made.upload('create', PROJECT, [sample('S'), sample('T')]))).toEqual([])
  expect(problems(await made.upload('create', PROJECT, sample('U')))).toEqual([])
  const { tissue_source_sites: _, ...plain } = sample('S')
  const again = [plain, { ...plain, submitter_id: 'T' }]
  expect(problems(await made.upload('put', PROJECT, again))).toEqual([])
})

test('references are the same at every registration, and change where they say something new', async () => {
  await references([center('01')])
  const again = [center('01'), center('02', { id: '00000000-0000-4000-8000-00000000000A' })]
  expect(await references(again)).toEqual({ created: 1, updated: 0, unchanged: 1 })
  expect(await references([center('01', { name: 'Other' })])).toEqual({
    created: 0,
    updated: 1,
    unchanged: 0,
  })
  const { type, ...others } = center('03')
  const table = [
    [...Object.keys(others), 'type'],
    [...Object.values(others), type],
  ]
    .map((cells) => `${cells.join('\t')}\n`)
    .join('')
  expect(await references(table, 'tsv')).toEqual({ created: 1, updated: 0, unchanged: 0 })
})

test.each([
  [[{ type: 'sample', code: '1' }], "element 1: type 'sample' is not one of center"],
  [[center('01'), { ...center('02'), name: 3 }], "element 2: 3 is not of type 'string'"],
  [[{ type: 'center', code: '01' }], "element 1: 'namespace' is a required property"],
  [[{ type: 'tissue_source_site', name: 'A' }], 'element 1: code is missing'],
  [[center('01'), center('01')], 'element 2: 01 is given twice'],
  [[5, center('01')], 'element 1: type None is not one of'],
  [[], 'there is nothing to register'],
  [[center('07', { id: '00000000-0000-4000-8000-000000000001' })], 'center 07 has the id'],
  [[center('08', { id: '00000000-0000-4000-8000-000000000007' })], 'center 07 has the id'],
])('%j cannot be registered, and nothing is', async (given, told) => {
  await references([center('07', { id: '00000000-0000-4000-8000-000000000007' })])
  await expect(references(given)).rejects.toThrow(told)
  const stored = await made.database.read((rows) =>
    rows.all<{ name: string }>('SELECT name FROM submission_references'),
  )
  expect(stored).toEqual([{ name: '07' }])
})

test("an export's words for missing values are accepted in the same fields only", async () => {
  const first = await made.upload('create', PROJECT, subject('A', { days_to_consent: 3 }))
  const put = (more: object) => made.upload('put', PROJECT, subject('A', more))
  expect(problems(await put({ consent_type: null, tissue_source_sites: [] }))).toEqual([])
  expect(problems(await put({ primary_site: null })).map(({ keys }) => keys)).toEqual([
    ['primary_site'],
  ])
  const created = await made.upload('put', PROJECT, subject('B', { consent_type: null }))
  expect(problems(created).map(({ keys }) => keys)).toEqual([['consent_type']])
  const { body } = await made.submission.entities({ ...AT, ids: [first.entities[0]?.id ?? ''] })
  expect(body).toMatchObject({ entities: [{ properties: { days_to_consent: 3 } }] })
})
