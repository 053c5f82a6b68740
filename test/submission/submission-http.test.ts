import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { LoadedDictionary } from '../../engine/submission/index.ts'
import { available } from '../available.ts'
import { eventually } from '../eventually.ts'
import { canRun, DIALECTS, prepareBed } from '../shared/database/support/dialects.ts'
import { caseOf, sampleOf } from './support/documents.ts'
import { readVector } from './support/published.ts'
import { ServedSubmission } from './support/served.ts'
import { idOf, MadeSubmission } from './support/service.ts'

const P = '/submission/GDC/INTERNAL'

describe.each(DIALECTS.filter(canRun))('submission over HTTP in %s', (dialect) => {
  let made: MadeSubmission
  let served: ServedSubmission
  const bed = prepareBed(dialect)
  beforeAll(async () => {
    made = await MadeSubmission.open({}, bed.server && (await bed.place()))
    served = new ServedSubmission(made.submission)
  })
  beforeEach(async () => {
    await made.reset()
    await made.register('GDC-INTERNAL')
  })
  afterAll(() => made.close())

  test('an administrator registers a program and a project, which are listed and go again', async () => {
    const { ask } = served
    const program = { type: 'program', name: 'CGCI', registry_accession_number: 'phs000235' }
    const first = await ask('POST', '/submission/', { body: program })
    expect([first.status, first.text]).toEqual([
      200,
      // python3: uuid.uuid5(uuid.UUID('85b08c6a-56a6-4474-9c30-b65abfd214a8'), 'CGCI')
      '{"id":"d339a424-ad52-5351-a499-493973249414","name":"CGCI","message":"Program registered."}',
    ])
    const again = await ask('PATCH', '/v0/submission', { body: program })
    expect(again.body.message).toBe('Program is updated!')

    const table = 'code\tname\tdbgap_accession_number\nBLGSP\tBurkitt\tphs1\n'
    const put = await ask('PUT', '/submission/CGCI', { body: table, type: 'text/tsv' })
    expect(put).toMatchObject({
      status: 200,
      body: {
        code: 200,
        created_entity_count: 1,
        entities: [
          { id: 'daa208a7-f57a-562c-a04a-7a7c77542c98', unique_keys: [{ code: 'BLGSP' }] },
        ],
      },
    })
    const faulty = { code: 'BLGSP', dbgap_accession_number: 'phs1', nam: 'x' }
    const refused = await ask('POST', '/submission/CGCI', { body: faulty })
    expect(refused).toMatchObject({ status: 400, body: { error: refused.body.message } })

    const listed = async (path: string) => (await ask('GET', path)).text
    expect(await listed('/submission')).toBe('{"links":["/submission/CGCI","/submission/GDC"]}')
    expect(await listed('/v0/submission/')).toBe(
      '{"links":["/v0/submission/CGCI","/v0/submission/GDC"]}',
    )
    expect(await listed('/v0/submission/CGCI/')).toBe('{"links":["/v0/submission/CGCI/BLGSP"]}')

    const full = await ask('DELETE', '/submission/CGCI')
    expect(full.body.error).toBe("Can't remove the program CGCI: it has projects")
    for (const path of ['/submission/CGCI/BLGSP', '/submission/CGCI']) {
      const gone = await ask('DELETE', path)
      expect([gone.status, gone.text]).toEqual([204, ''])
    }
    expect(await listed('/submission')).toBe('{"links":["/submission/GDC"]}')
  })

  test('a dry run is committed once; another is closed, and no longer committed', async () => {
    const { ask } = served
    const body = [sampleOf('S', 'C'), caseOf('C')]
    const dry = await ask('POST', `${P}/_dry_run`, { body })
    expect(dry).toMatchObject({ status: 200, body: { code: 200, created_entity_count: 2 } })
    const { transaction_id: id } = dry.body
    const commits = await Promise.all(
      ['POST', 'PUT'].map((method) => ask(method, `/v0${P}/transactions/${id}/commit/`)),
    )
    expect(commits.map(({ status }) => status).sort()).toEqual([200, 400])
    const done = commits.find(({ status }) => status === 200)
    expect(done?.body.entities).toEqual(dry.body.entities)
    const failed = commits.find(({ status }) => status === 400)
    expect(failed?.text).toBe(
      JSON.stringify({
        error: `This transaction_log was committed already by transaction '${done?.body.transaction_id}'.`,
        message: failed?.body.message,
      }),
    )

    const other = await ask('PUT', `${P}/_dry_run`, { body: caseOf('D') })
    const path = `${P}/transactions/${other.body.transaction_id}`
    const closed = await ask('PUT', `${path}/close`)
    expect([closed.status, closed.body]).toEqual([
      200,
      {
        code: 200,
        message: 'Closed transaction.',
        transaction_id: other.body.transaction_id,
      },
    ])
    expect((await ask('POST', `${path}/commit`)).body.error).toMatch(/closed/)
    for (const name of ['x', '1.0', '-1', '0x1', '99999999999999999999', '123456789']) {
      const missing = await ask('POST', `${P}/transactions/${name}/commit`)
      expect([name, missing.status, missing.body.error]).toEqual([name, 404, missing.body.message])
    }
  })

  test('an asynchronous request is answered before it is done, and its outcome is kept', async () => {
    const { ask } = served
    const outcome = async (id: number) => {
      await made.submission.idle()
      const sql = `SELECT state, response_json FROM submission_transactions t
        JOIN submission_documents d ON d.transaction_id = t.id WHERE t.id = ${id}`
      const [row] = await made.database.read((rows) =>
        rows.all<{ state: string; response_json: string }>(sql),
      )
      return { state: row?.state, body: JSON.parse(row?.response_json ?? '') }
    }
    const accepted = (id: number) => ({
      status: 200,
      text: `{"code":200,"message":"Transaction submitted.","transaction_id":${id}}`,
    })
    const dry = await ask('POST', `${P}/_dry_run?async=TRUE`, { body: caseOf('C') })
    const { transaction_id: id } = dry.body
    expect(dry).toMatchObject(accepted(id))
    expect(await outcome(id)).toMatchObject({ state: 'SUCCEEDED', body: { code: 200 } })
    const commit = await ask('POST', `${P}/transactions/${id}/commit?async=true`)
    expect(commit).toMatchObject(accepted(commit.body.transaction_id))
    const done = await outcome(commit.body.transaction_id)
    expect(done).toMatchObject({ state: 'SUCCEEDED', body: { created_entity_count: 1 } })

    const entity = done.body.entities[0].id
    const removed = await ask('DELETE', `${P}/entities/${entity}?async=true`)
    expect(await outcome(removed.body.transaction_id)).toMatchObject({
      body: { deleted_entity_count: 1 },
    })
    const failing = await ask('PUT', `${P}?async=true`, { body: {} })
    expect(failing.status).toBe(200)
    expect(await outcome(failing.body.transaction_id)).toMatchObject({
      state: 'FAILED',
      body: { code: 400 },
    })
    const reviewed = await ask('PUT', `${P}/review?async=true`)
    expect(await outcome(reviewed.body.transaction_id)).toMatchObject({ state: 'SUCCEEDED' })
    // Errors that are known at once are reported at once.
    const locked = await ask('PUT', `/v0${P}?async=true`, { body: caseOf('C') })
    expect(locked).toMatchObject({ status: 400 })
    expect(locked.body.message).toBe(
      "Project is in state 'review', which prevents /v0/submission/GDC/INTERNAL. " +
        'In order to perform this action, the project must be in state <open>.',
    )
  })

  test('of many who create one entity at the same time one does, and the others are reported', async () => {
    const bodies = Array.from({ length: 8 }, (_, i) => [caseOf('C'), caseOf(`own-${i}`)])
    const answers = await Promise.all(bodies.map((body) => served.ask('POST', P, { body })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(400)])
    for (const { status, body } of answers) {
      if (status === 201) continue
      expect(body.entities[0]?.errors.map(({ type }) => type)).toEqual(['NOT_UNIQUE'])
    }
    const sql = 'SELECT submitter_id FROM submission_entities'
    expect(await made.database.read((rows) => rows.all(sql))).toHaveLength(2)
  })

  test('entities are read as they are stored, with every digit, and deleted with what they carry', async () => {
    const { ask } = served
    const file = `{"type":"clinical_supplement","submitter_id":"F","data_category":"Clinical",
      "data_type":"Clinical Supplement","data_format":"BCR XML","file_name":"f.xml",
      "file_size":9007199254740993,"md5sum":"ecaaa87613ba03c971bfefdb6f693959",
      "cases":{"submitter_id":"C"}}`
    const put = await ask('PUT', P, { body: `[${JSON.stringify(caseOf('C'))},${file}]` })
    expect(put).toMatchObject({ status: 200, body: { created_entity_count: 2 } })
    const [one, other] = put.body.entities.map(({ id }) => `${id}`)
    const read = await ask('GET', `${P}/entities/${other},${one?.toUpperCase()},${other}`)
    expect(read.text).toContain('"file_size":9007199254740993,')
    expect(read.headers.get('cache-control')).toBe('no-store')
    const { entities } = read.body as unknown as { entities: { properties: { id: string } }[] }
    expect(entities.map(({ properties }) => properties.id)).toEqual([other, one])
    const none = await ask('GET', `${P}/entities/${one},${idOf('nobody')}`)
    expect([none.status, none.body.error]).toEqual([404, `Not found: ${idOf('nobody')}`])

    const kept = await ask('DELETE', `${P}/entities/${one}`)
    expect(kept).toMatchObject({
      status: 400,
      body: { error: 'Deletion transaction failed.', dependent_ids: other },
    })
    const tried = await ask('DELETE', `${P}/entities/_dry_run/${one},${other}`)
    expect(tried.body.message).toBe('Dry run successful. Would have deleted 2 entities')
    const emptied = await ask('DELETE', `${P}/entities/${one}?fields=`)
    expect([emptied.status, emptied.body.error]).toEqual([400, emptied.body.message])
    const cut = await ask('DELETE', `${P}/entities/${one}?fields=index_date&fields=consent_type`)
    expect(cut).toMatchObject({ status: 200, body: { entities: [{ action: 'update' }] } })
    for (const path of ['_dry_run', ',', '%20']) {
      expect((await ask('DELETE', `${P}/entities/${path}`)).status).toBe(404)
    }
    const gone = await ask('DELETE', `${P}/entities/${one},${other}`)
    expect(gone.body.message).toBe('Successfully deleted 2 entities')
  })

  test('entities that are too large together are refused, and read one by one', async () => {
    const { ask } = served
    const catalog_reference = 'x'.repeat(1_500_000)
    const samples = ['S1', 'S2', 'S3'].map((name) => ({
      ...sampleOf(name, 'C'),
      catalog_reference,
    }))
    const put = await ask('PUT', P, { body: [caseOf('C'), ...samples] })
    expect(put).toMatchObject({ status: 200, body: { created_entity_count: 4 } })
    const [, ...ids] = put.body.entities.map(({ id }) => `${id}`)
    expect((await ask('GET', `${P}/entities/${ids}`)).status).toBe(413)
    expect((await ask('GET', `${P}/entities/${ids.slice(1)}`)).status).toBe(200)
  })

  test('a project is reviewed, handed over and marked for release by its paths', async () => {
    const { ask } = served
    await ask('POST', P, { body: caseOf('C') })
    const act = async (method: string, path: string) => {
      const { status, body } = await ask(method, `${P}/${path}`, { body: 'whatever' })
      return [status, body.message]
    }
    expect(await act('POST', 'submit')).toEqual([
      400,
      "Project is in state 'open', which prevents /submission/GDC/INTERNAL/submit. " +
        'In order to perform this action, the project must be in state <review>.',
    ])
    expect(await act('POST', 'release')).toEqual([400, 'Release transaction failed.'])
    expect(await act('PUT', 'review/_dry_run')).toEqual([
      200,
      "Dry run successful. Would have successfully transitioned project state to 'review'",
    ])
    const moved = (state: string) => [200, `Successfully transitioned project state to '${state}'`]
    expect(await act('PUT', 'review/')).toEqual(moved('review'))
    expect(await act('POST', 'open')).toEqual(moved('open'))
    expect(await act('POST', 'review')).toEqual(moved('review'))
    expect(await act('POST', 'submit')).toEqual([200, 'Successfully submitted 1 entities.'])
    expect(await act('PUT', 'release')).toEqual([200, 'Successfully released project'])
    // An administrator reverts the state.
    expect(await act('POST', 'open')).toEqual(moved('open'))
    expect(await ask('PUT', P, { body: caseOf('C') })).toMatchObject({ status: 200 })
  })
})

test.each([
  { asyncAtOnce: 1, asyncWaiting: 1, projectWaiting: 1 },
  { bytes: 2 * Buffer.byteLength(JSON.stringify(caseOf('A'))) },
])('more than %j are refused with 503 and are told when to come again', async (limits) => {
  // No body is validated before two are refused.
  let refusals = Promise.resolve<unknown>(undefined)
  const dictionary = new LoadedDictionary(inlineExecutor)
  const known = await MadeSubmission.dictionary()
  vi.spyOn(dictionary, 'current').mockImplementation(() => refusals.then(() => known))
  const small = await MadeSubmission.open({ limits, dictionary })
  try {
    await small.register('GDC-INTERNAL')
    const { ask } = new ServedSubmission(small.submission)
    const upload = (name: string) => ask('PUT', `${P}?async=true`, { body: caseOf(name) })
    for (const names of ['ABCD', 'EFGH']) {
      const answers = [...names].map(upload)
      refusals = eventually(async () => {
        const settled = await Promise.all(
          answers.map((answer) => Promise.race([answer, undefined])),
        )
        expect(settled.filter((answer) => answer?.status === 503)).toHaveLength(2)
      })
      const all = await Promise.all(answers)
      expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503])
      const refused = all.find(({ status }) => status === 503)
      expect(refused?.headers.get('retry-after')).toBe('5')
      expect(refused?.body.error).toBe(refused?.body.message)
      await small.submission.idle()
    }
  } finally {
    await small.close()
  }
})

describe.skipIf(!available.shared)('recorded requests about a transaction', () => {
  if (!available.shared) return
  let made: MadeSubmission
  let served: ServedSubmission
  beforeAll(async () => {
    made = await MadeSubmission.open()
    served = new ServedSubmission(made.submission)
    await made.register('GDC-INTERNAL')
  })
  afterAll(() => made.close())

  interface Recorded {
    readonly http: { readonly method: string; readonly path: string }
    readonly request?: unknown
    readonly response: { readonly transaction_id: number }
  }

  test('vectors 04, 02 and 03: an asynchronous dry run, its commit, and a close', async () => {
    const [four, two, three] = ['04', '02', '03'].map(
      (number) => readVector(`${number}_submission.json`) as Recorded,
    )
    const send = async ({ http, request, response }: Recorded, id: number, path = http.path) => {
      const sent = request === undefined ? {} : { body: request }
      const { status, body } = await served.ask(http.method, path.replace('467', `${id}`), sent)
      await made.submission.idle()
      const { transaction_id } = body
      expect([status, body]).toEqual([200, { ...response, transaction_id }])
      return transaction_id
    }
    if (!four || !two || !three) throw new Error('a vector is missing')
    const dryly = four.http.path.replace('?', '/_dry_run?')
    const first = await send(four, 0, dryly)
    const second = await send(four, 0, dryly)
    expect(await send(two, first)).toBe(second + 1)
    expect(await send(three, second)).toBe(second)
  })
})
