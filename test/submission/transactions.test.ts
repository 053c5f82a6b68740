import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Principal } from '../../engine/shared/access/tokens.ts'
import { insertTransaction } from '../../engine/submission/transactions/store/transactions.ts'
import { Submission } from '../../engine/submission/transactions/submission.ts'
import { available } from '../available.ts'
import { canRun, DIALECTS, prepareBed } from '../shared/database/support/dialects.ts'
import { aliquotOf, caseOf, fileOf, sampleOf } from './support/documents.ts'
import { readVector } from './support/published.ts'
import { idOf, MadeSubmission, type UploadBody } from './support/service.ts'

const P = 'GDC-INTERNAL'
const demographicOf = (name: string) => ({
  ...{ type: 'demographic', submitter_id: name, ethnicity: 'not reported', race: 'asian' },
  ...{ vital_status: 'Alive', sex_at_birth: 'female' },
})

describe.each(DIALECTS.filter(canRun))('transactions in %s', (dialect) => {
  let made: MadeSubmission
  const bed = prepareBed(dialect)
  beforeAll(async () => {
    made = await MadeSubmission.open({}, bed.server && (await bed.place()))
  })
  beforeEach(async () => {
    await made.reset()
    await made.register(P)
    made.faults.length = 0
  })
  afterAll(() => made.close())

  const errorsOf = ({ entities }: UploadBody) =>
    entities.map(({ errors }) => errors.map(({ type, message }) => `${type} ${message}`))

  function rows<Row>(sql: string): Promise<Row[]> {
    return made.database.read((all) => all.all<Row>(sql))
  }

  const states = async () =>
    (
      await rows<{ id: number; state: string; operation: string }>(
        "SELECT id, state FROM submission_transactions WHERE operation <> 'x' ORDER BY id DESC",
      )
    ).map(({ state }) => state)

  const names = async () =>
    (
      await rows<{ submitter_id: string }>(
        'SELECT submitter_id FROM submission_entities WHERE is_current = 1 ORDER BY submitter_id',
      )
    ).map((row) => row.submitter_id)

  describe('uploads', () => {
    test('entities of one body may come in any order and link to each other', async () => {
      const body = [aliquotOf('A', 'S'), sampleOf('S', 'C'), caseOf('C')]
      const answer = await made.upload('create', P, body)
      expect(answer).toMatchObject({ status: 201, success: true, created_entity_count: 3 })
      expect(answer.cases_related_to_created_entities_count).toBe(1)
      const [aliquot, sample, first] = answer.entities
      expect(aliquot?.related_cases).toEqual([{ id: first?.id, submitter_id: 'C' }])
      expect(sample?.related_cases).toEqual(aliquot?.related_cases)
      expect(await states()).toEqual(['SUCCEEDED', 'SUCCEEDED'])
    })

    test('one faulty entity keeps all others out, and every fault of every entity is told', async () => {
      const answer = await made.upload('create', P, [
        caseOf('C'),
        sampleOf('S', 'nobody'),
        caseOf('D', { primary_site: 'Nowhere', unknown: 1 }),
        sampleOf('T', 'D'),
        7,
        { type: 'sample' },
        { type: 'program', name: 'X' },
      ])
      expect(answer).toMatchObject({ status: 400, success: false, created_entity_count: 0 })
      expect(answer.message).toBe('Transaction aborted due to 6 invalid entities.')
      expect(answer.entities.map(({ action }) => action)).toEqual([
        ...['create', 'create', 'create', 'create', null, null, null],
      ])
      const nobody = "unique_keys='[{'project_id': 'GDC-INTERNAL', 'submitter_id': 'nobody'}]'"
      const errors = errorsOf(answer)
      expect(errors[0]).toEqual([])
      expect(errors[1]).toEqual([`INVALID_LINK No link destination found for cases, ${nobody}`])
      expect(errors[2]?.map((one) => one.split(' ', 1)[0])).toEqual([
        ...['INVALID_PROPERTY', 'ERROR', 'ERROR'],
      ])
      expect(errors[3]).toEqual([
        `INVALID_LINK No link destination found for cases, ${nobody.replace('nobody', 'D')}`,
      ])
      expect(errors[4]).toEqual(['INVALID_VALUE Entity document must be an object, not a number'])
      expect(errors[5]).toEqual([
        'MISSING_PROPERTY Either an id or required unique fields (project_id, submitter_id) required',
      ])
      expect(errors[6]).toEqual([
        'INVALID_TYPE program is not an entity that can be upload via the project endpoint.',
      ])
      expect(await names()).toEqual([])
      expect(await states()).toEqual(['FAILED', 'SUCCEEDED'])
    })

    test('what the schema refuses has the errors of its links beside those', async () => {
      await made.upload('create', P, [
        caseOf('C'),
        { ...demographicOf('M'), cases: { submitter_id: 'C' } },
      ])
      const errors = errorsOf(
        await made.upload('create', P, [
          sampleOf('S', 'nobody', { tissue_type: 'Wood' }),
          sampleOf('T', 'C', { tissue_type: 'Wood', cases: undefined }),
          sampleOf('U', 'C', { tissue_type: 'Wood', cases: 'C' }),
          { ...demographicOf('N'), vital_status: 'Odd', cases: { submitter_id: 'C' } },
          // What fails takes nothing from others.
          sampleOf('V', 'C'),
        ]),
      )
      const kinds = errors.map((some) => some.map((one) => one.replace(/ is not one of .*/, '')))
      expect(kinds).toEqual([
        [
          "ERROR 'Wood'",
          "INVALID_LINK No link destination found for cases, unique_keys='[{'project_id': 'GDC-INTERNAL', 'submitter_id': 'nobody'}]'",
        ],
        ["ERROR 'Wood'", 'INVALID_LINK Entity is missing required link to cases'],
        ["ERROR 'Wood'", expect.stringMatching(/^INVALID_VALUE 'C' is not valid under any/)],
        [
          "ERROR 'Odd'",
          "INVALID_LINK 'cases' link has to be one_to_one, target node case already has demographics",
        ],
        [],
      ])
    })

    test('an update keeps what its document does not name, and PATCH demands nothing', async () => {
      await made.upload('create', P, [
        caseOf('C', { consent_type: 'Informed Consent' }),
        caseOf('D'),
        sampleOf('S', 'C', { days_to_collection: 5 }),
      ])
      const put = await made.upload(
        'put',
        P,
        sampleOf('S', 'C', { cases: undefined, is_ffpe: 'x' }),
      )
      expect(put).toMatchObject({ status: 400 })
      const good = await made.upload('put', P, { ...sampleOf('S', 'C'), cases: [] })
      expect(good).toMatchObject({ status: 200, updated_entity_count: 1 })
      const lacking = await made.upload('put', P, { type: 'case', submitter_id: 'C' })
      expect(lacking.entities[0]?.errors.map(({ keys }) => keys[0])).toEqual([
        ...['disease_type', 'primary_site'],
      ])
      const patch = await made.upload('patch', P, { type: 'case', submitter_id: 'C' })
      expect(patch).toMatchObject({ status: 200, updated_entity_count: 1 })
      const other = await made.upload('patch', P, { ...sampleOf('S', 'D') })
      expect(errorsOf(other)).toEqual([["INVALID_LINK 'cases' link has to be many_to_one"]])
      const id = String(good.entities[0]?.id)
      const { body } = await made.submission.entities({ ...made.at(P), ids: [id, id] })
      expect(body).toMatchObject({
        entities: [{ program: 'GDC', project: 'INTERNAL', properties: { days_to_collection: 5 } }],
      })
      const unknown = made.submission.entities({ ...made.at(P), ids: [id, idOf('none')] })
      await expect(unknown).rejects.toThrow(`Not found: ${idOf('none')}`)
    })

    test('what is not there cannot be patched, and what is there not be created', async () => {
      const patched = await made.upload('patch', P, caseOf('C'))
      expect(patched.entities[0]).toMatchObject({ action: null, id: null })
      expect(errorsOf(patched)).toEqual([['NOT_FOUND Entity not found.']])
      const id = idOf('given')
      await made.upload('create', P, caseOf('C', { id: id.toUpperCase() }))
      const message = 'NOT_UNIQUE Cannot create an entity with an id that already exists.'
      expect(errorsOf(await made.upload('create', P, caseOf('D', { id })))).toEqual([[message]])
      expect(errorsOf(await made.upload('put', P, caseOf('D', { id: 'x' })))).toEqual([
        ['INVALID_VALUE Cannot create entity with custom id that is not a UUID.'],
      ])
      const file = fileOf('F', { id: idOf('F'), cases: { id } })
      expect(errorsOf(await made.upload('put', P, file))[0]?.[0]).toContain('INVALID_PROPERTY')
      await made.upload('create', P, caseOf('D'))
      expect(errorsOf(await made.upload('put', P, caseOf('D', { id })))).toEqual([
        [`NOT_UNIQUE Existing case entity found with id different from ${id}`],
      ])
    })

    test('the same entity twice is a fault of the transaction', async () => {
      const twice = await made.upload('put', P, [caseOf('C'), caseOf('C')])
      expect(twice).toMatchObject({
        status: 400,
        entity_error_count: 0,
        message: 'Transaction aborted due to 1 transactional error.',
        transactional_errors: [
          { message: "Entity is not unique, (('GDC-INTERNAL', 'C'),)", type: 'NOT_UNIQUE' },
        ],
      })
      const nothing = await made.upload('put', P, [])
      expect(nothing.transactional_errors).toEqual([{ message: 'Nothing to submit' }])
      expect(nothing.code).toBe(400)
    })

    test('entities of another project are neither changed nor linked to', async () => {
      await made.register('TCGA-CHOL')
      await made.seed('TCGA-CHOL', { type: 'case', name: 'foreign' })
      const id = idOf('foreign')
      expect(errorsOf(await made.upload('put', P, caseOf('C', { id })))).toEqual([
        ['INVALID_PERMISSIONS Entity is owned by project TCGA-CHOL, not GDC-INTERNAL'],
      ])
      expect(errorsOf(await made.upload('put', P, sampleOf('S', '', { cases: { id } })))).toEqual([
        [`INVALID_LINK Relationship to case ${id} in project TCGA-CHOL not allowed`],
      ])
      const body = [
        caseOf('C', { projects: { code: 'CHOL' } }),
        caseOf('D', { project_id: 'TCGA-CHOL' }),
        caseOf('E', { projects: undefined }),
      ]
      expect(errorsOf(await made.upload('put', P, body))).toEqual([
        ['INVALID_PERMISSIONS Cannot link entity to project CHOL under INTERNAL endpoint'],
        ['INVALID_PERMISSIONS Entity is owned by project TCGA-CHOL, not GDC-INTERNAL'],
        ['INVALID_LINK Entity is missing required link to projects'],
      ])
    })

    test('a parent is found by its name in other letters when only one is meant', async () => {
      await made.upload('create', P, [caseOf('Case-1'), caseOf('x'), caseOf('X')])
      const body = [caseOf('Case-2'), sampleOf('S', 'CASE-1'), sampleOf('T', 'case-2')]
      const answer = await made.upload('create', P, body)
      expect(answer.entities.map((one) => one.related_cases[0]?.submitter_id)).toEqual([
        ...[undefined, 'Case-1', 'Case-2'],
      ])
      expect((await made.upload('create', P, sampleOf('U', 'X'))).success).toBe(true)
      await made.upload('create', P, [caseOf('y'), caseOf('Y')])
      expect((await made.upload('create', P, caseOf('case-1'))).success).toBe(true)
      expect((await made.upload('create', P, sampleOf('V', 'CASE-1'))).success).toBe(false)
    })

    test('errors of a table have its line, and the column where it has one', async () => {
      const table = [
        'type\tsubmitter_id\tprimary_site\tprojects.code\tindex_date\tshoe',
        '',
        'case\tC\tNowhere',
        'case\tD\tBrain\tOTHER\tNever\t7',
        'case\tE\tBrain\tINTERNAL\t\t\t\tbeyond',
      ].join('\n')
      const { entities } = await made.upload('create', P, table, { format: 'tsv' })
      const errors = entities.flatMap((one) => one.errors)
      const places = errors.map(({ keys: [key], line, column, type }) => {
        return `${line} ${column} ${key} ${type}`
      })
      expect(places).toEqual([
        '3 undefined disease_type MISSING_PROPERTY',
        '3 3 primary_site ERROR',
        '3 4 projects INVALID_LINK',
        '4 6 shoe INVALID_PROPERTY',
        '4 undefined undefined ERROR',
        '4 undefined disease_type MISSING_PROPERTY',
        '4 5 index_date ERROR',
        '4 undefined undefined INVALID_PERMISSIONS',
        '5 8 type INVALID_TYPE',
        '5 8 type MISSING_PROPERTY',
      ])
    })

    test('groups of links, links to oneself and circles are held against their rules', async () => {
      await made.upload('create', P, [caseOf('C'), sampleOf('S', 'C')])
      const own = { submitter_id: 'S' }
      const body = [
        { type: 'aliquot', submitter_id: 'A' },
        { type: 'aliquot', submitter_id: 'B', samples: own, analytes: { submitter_id: 'Y' } },
        { type: 'analyte', submitter_id: 'Y', analyte_type: 'DNA', samples: own },
        sampleOf('T', 'C', { parent_samples: { submitter_id: 'T' } }),
        sampleOf('U', 'C', { parent_samples: { submitter_id: 'V' } }),
        sampleOf('V', 'C', { parent_samples: { submitter_id: 'U' } }),
      ]
      const errors = errorsOf(await made.upload('put', P, body))
      expect(errors[0]).toEqual([
        'INVALID_LINK Entity is missing a required link to analytes or samples',
      ])
      expect(errors[1]).toEqual([
        "INVALID_LINK Links to ['analytes', 'samples'] are exclusive.  More than one was provided.",
      ])
      expect(errors[3]).toEqual(["INVALID_LINK 'parent_samples' links the entity to itself"])
      expect(errors[4]).toEqual(['INVALID_LINK links lead from the entity back to itself'])
      expect(errors[5]).toEqual(errors[4])
    })

    test('system properties are left as they are, and that is told', async () => {
      const answer = await made.upload('put', P, caseOf('C', { state: 'released' }))
      expect(answer).toMatchObject({ status: 200, created_entity_count: 1 })
      expect(answer.entities[0]?.warnings).toEqual([
        {
          keys: ['state'],
          message: "Property 'state' (released) is a system property and will be ignored.",
          type: 'INVALID_PROPERTY',
        },
      ])
      const [row] = await rows<{ state: string }>('SELECT state FROM submission_entities')
      expect(row?.state).toBe('validated')
    })

    test('time moves only for what really changes, and big numbers keep their digits', async () => {
      const big = '9007199254740993'
      const file = JSON.stringify(fileOf('F', { cases: { submitter_id: 'C' } }))
      const body = `[${JSON.stringify(caseOf('C'))}, ${file.replace('"file_size":5', `"file_size":${big}`)}]`
      await made.upload('create', P, body)
      const before = await rows('SELECT * FROM submission_entities ORDER BY position')
      const again = await made.upload('put', P, body)
      expect(again).toMatchObject({ status: 200, updated_entity_count: 2 })
      expect(await rows('SELECT * FROM submission_entities ORDER BY position')).toEqual(before)
      expect(JSON.stringify(before)).toContain(`file_size\\":${big}`)
    })
  })

  describe('versions of files', () => {
    test('a file that was handed over gets a new version when its data change', async () => {
      const file = fileOf('F', { cases: { submitter_id: 'C' } })
      const first = await made.upload('create', P, [caseOf('C'), file])
      await made.database.write((transaction) =>
        transaction.run(
          "UPDATE submission_entities SET state = 'submitted', file_state = 'submitted' WHERE file_state IS NOT NULL",
        ),
      )
      const same = await made.upload('put', P, file)
      expect(errorsOf(same)).toEqual([
        ["INVALID_PERMISSIONS Entity is in state 'submitted', which prevents an update."],
      ])
      const md5sum = '93e306e5e621d3cacb363e2be96ca3cd'
      const second = await made.upload('put', P, { ...file, md5sum, cases: [] })
      // As vector 20 has it.
      expect(second).toMatchObject({
        status: 200,
        created_entity_count: 0,
        updated_entity_count: 0,
      })
      expect(second.entities[0]).toMatchObject({ action: 'version', valid: true })
      expect(second.entities[0]?.related_cases).toEqual(first.entities[1]?.related_cases)
      expect(await names()).toEqual(['C', 'F'])
      const third = await made.upload('put', P, { ...file, md5sum, file_size: 6 })
      expect(third.entities[0]).toMatchObject({ action: 'update', id: second.entities[0]?.id })
      const ids = [String(second.entities[0]?.id)]
      expect(await made.delete(P, ids)).toMatchObject({ status: 200, deleted_entity_count: 1 })
      const [restored] = await rows<{ id: string }>(
        "SELECT id FROM submission_entities WHERE submitter_id = 'F' AND is_current = 1",
      )
      expect(restored?.id).toBe(first.entities[1]?.id)
    })

    test('a new submitter_id goes to what is there and nothing else has it', async () => {
      await made.upload('create', P, [caseOf('C'), caseOf('D')])
      const to = (new_submitter_id: string, name = 'C') => caseOf(name, { new_submitter_id })
      expect((await made.upload('put', P, to('X', 'nobody'))).entities[0]?.errors[0]?.type).toBe(
        'NOT_FOUND',
      )
      expect((await made.upload('put', P, to('D'))).status).toBe(400)
      expect((await made.upload('put', P, to('E'))).entities[0]).toMatchObject({
        action: 'update',
        unique_keys: [{ project_id: P, submitter_id: 'E' }],
      })
      expect(await names()).toEqual(['D', 'E'])
    })
  })

  describe('deletion', () => {
    beforeEach(async () => {
      await made.upload('create', P, [
        caseOf('C', { id: idOf('C') }),
        sampleOf('S', 'C', { id: idOf('S') }),
        { ...aliquotOf('A', 'S'), id: idOf('A') },
      ])
    })

    test('what has children goes with them alone', async () => {
      const alone = await made.delete(P, [idOf('C')])
      expect(alone).toMatchObject({
        status: 400,
        deleted_entity_count: 0,
        message: 'Deletion transaction failed.',
        dependent_ids: [idOf('S'), idOf('A')].join(','),
      })
      expect(alone.entities[0]?.errors[0]).toMatchObject({
        type: 'INVALID_LINK',
        dependents: [
          { id: idOf('S'), type: 'sample' },
          { id: idOf('A'), type: 'aliquot' },
        ],
      })
      const all = [idOf('C'), idOf('A'), idOf('S').toUpperCase(), idOf('A')]
      const dry = await made.delete(P, all, true)
      expect(dry.message).toBe('Dry run successful. Would have deleted 3 entities')
      expect(await names()).toEqual(['A', 'C', 'S'])
      const commit = await made.commit(P, dry.transaction_id)
      expect(commit).toMatchObject({ status: 200, deleted_entity_count: 3, dependent_ids: '' })
      expect(await names()).toEqual([])
      expect(await rows('SELECT * FROM submission_links')).toEqual([])
    })

    test('what is unknown or was handed over stays', async () => {
      await made.database.write((transaction) =>
        transaction.run("UPDATE submission_entities SET state = 'submitted'"),
      )
      const answer = await made.delete(P, [idOf('A'), idOf('nowhere')])
      expect(errorsOf(answer)).toEqual([
        [
          'INVALID_PERMISSIONS This node has been submitted. Deletion is disallowed for submitted entities. This node must be redacted.',
        ],
        ['NOT_FOUND Entity not found.'],
      ])
    })

    test('optional properties are taken out, others are not', async () => {
      await made.upload('patch', P, { type: 'sample', submitter_id: 'S', days_to_collection: 5 })
      const request = { ...made.at(P), ids: [idOf('S')] }
      const good = await made.submission.delete({ ...request, fields: ['days_to_collection'] })
      expect(good.status).toBe(200)
      const [row] = await rows<{ properties: string }>(
        "SELECT properties FROM submission_entities WHERE submitter_id = 'S'",
      )
      expect(row?.properties).not.toContain('days_to_collection')
      const fields = ['tissue_type', 'cases', 'state', 'submitter_id', 'nothing']
      const bad = await made.submission.delete({ ...request, fields })
      expect(errorsOf(bad.body as UploadBody)[0]).toHaveLength(5)
    })
  })

  describe('dry runs', () => {
    test('a dry run writes nothing but its record, and its commit keeps its ids', async () => {
      const dry = await made.upload('create', P, caseOf('C'), { isDryRun: true })
      expect(dry).toMatchObject({ status: 200, created_entity_count: 1 })
      expect(await names()).toEqual([])
      const commit = await made.commit(P, dry.transaction_id)
      expect(commit).toMatchObject({ status: 200, code: 200, created_entity_count: 1 })
      expect(commit.transaction_id).toBeGreaterThan(dry.transaction_id)
      expect(commit.entities[0]?.id).toBe(dry.entities[0]?.id)
      await expect(made.commit(P, dry.transaction_id)).rejects.toThrow(
        `This transaction_log was committed already by transaction '${commit.transaction_id}'.`,
      )
      await expect(made.commit(P, commit.transaction_id)).rejects.toThrow('not a dry_run')
    })

    test('of two commits at the same time one is refused', async () => {
      const dry = await made.upload('put', P, caseOf('C'), { isDryRun: true })
      const both = await Promise.allSettled([1, 2].map(() => made.commit(P, dry.transaction_id)))
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    })

    test('a commit fails when the graph has changed against it, and marks the dry run', async () => {
      const dry = await made.upload('create', P, caseOf('C'), { isDryRun: true })
      await made.upload('create', P, caseOf('C'))
      const commit = await made.commit(P, dry.transaction_id)
      expect(commit).toMatchObject({ status: 400, success: false })
      const [row] = await rows(
        `SELECT state, committed_by FROM submission_transactions WHERE id = ${dry.transaction_id}`,
      )
      expect(row).toEqual({ state: 'SUCCEEDED', committed_by: commit.transaction_id })
    })

    test('a closed dry run is never committed; what is none is not closed', async () => {
      const dry = await made.upload('create', P, caseOf('C'), { isDryRun: true })
      const close = (transactionId: number) =>
        made.submission.closeDryRun({ ...made.at(P), transactionId })
      expect(await close(dry.transaction_id)).toEqual({
        status: 200,
        body: { code: 200, message: 'Closed transaction.', transaction_id: dry.transaction_id },
      })
      await expect(close(dry.transaction_id)).rejects.toThrow('already closed')
      await expect(made.commit(P, dry.transaction_id)).rejects.toThrow(
        'Unable to commit closed transaction log.',
      )
      const real = await made.upload('create', P, caseOf('C'))
      await expect(close(real.transaction_id)).rejects.toThrow('is not a dry run')
      const failed = await made.upload('create', P, caseOf('C'), { isDryRun: true })
      await expect(made.commit(P, failed.transaction_id)).rejects.toThrow('in state FAILED')
      expect((await close(failed.transaction_id)).status).toBe(200)
      await expect(close(10 ** 6)).rejects.toThrow('Unable to find transaction_log with id')
    })
  })

  describe('asynchronous transactions', () => {
    test('the answer comes first, the outcome stands in the log', async () => {
      const body = Buffer.from(JSON.stringify(caseOf('C')))
      const request = { ...made.at(P), operation: 'create', format: 'json', isAsync: true } as const
      const { status, body: answer } = await made.submission.upload({ ...request, body })
      const { transaction_id: id, ...others } = answer as UploadBody
      expect({ status, ...others }).toEqual({
        ...{ status: 200, code: 200, message: 'Transaction submitted.' },
      })
      expect((await states())[0]).toBe('PENDING')
      await made.submission.idle()
      expect((await states())[0]).toBe('SUCCEEDED')
      const [row] = await rows<{ response_json: string }>(
        `SELECT response_json FROM submission_documents WHERE transaction_id = ${id}`,
      )
      expect(JSON.parse(row?.response_json ?? '')).toMatchObject({ code: 201, transaction_id: id })
    })

    test('more than may wait are refused and leave no record', async () => {
      const small = await MadeSubmission.open({
        limits: { asyncAtOnce: 1, asyncWaiting: 1, projectWaiting: 1 },
      })
      try {
        await small.register(P)
        const upload = (name: string) =>
          small.submission.upload({
            ...small.at(P),
            ...{ operation: 'create', format: 'json', isAsync: true },
            body: Buffer.from(JSON.stringify(caseOf(name))),
          })
        // None is done before all have come.
        const { promise: haveCome, resolve: letWrite } = Promise.withResolvers<void>()
        const write = small.database.write.bind(small.database)
        const held = vi.spyOn(small.database, 'write').mockImplementation(async (...given) => {
          await haveCome
          return write(...given)
        })
        const refused: unknown[] = []
        const all = ['A', 'B', 'C', 'D'].map((name) =>
          upload(name).catch((error: unknown) => void refused.push(error)),
        )
        await expect.poll(() => refused).toMatchObject([{ code: 'busy' }, { code: 'busy' }])
        letWrite()
        await Promise.all(all)
        held.mockRestore()
        await small.submission.idle()
        const found = await small.database.read((all) =>
          all.all("SELECT state FROM submission_transactions WHERE state <> 'SUCCEEDED'"),
        )
        expect(found).toEqual([])
      } finally {
        await small.close()
      }
    })

    test('what a process that died left behind is ended at the next start', async () => {
      const dry = await made.upload('create', P, caseOf('C'), { isDryRun: true })
      const left = await made.database.write(async (transaction) => {
        const id = await insertTransaction(transaction, {
          ...{ program: 'GDC', project: 'INTERNAL', projectId: P, operation: 'create' },
          ...{
            isDryRun: false,
            submitter: 'a',
            server: 'gone',
            createdAt: '',
            canonicalJson: '[]',
          },
          document: { name: null, format: 'json', text: '[]' },
        })
        await transaction.run('UPDATE submission_transactions SET committed_by = ? WHERE id = ?', [
          ...[id, dry.transaction_id],
        ])
        return id
      })
      expect(await made.submission.start({ isAlone: true })).toBe(1)
      const [row] = await rows(`SELECT state FROM submission_transactions WHERE id = ${left}`)
      expect(row).toEqual({ state: 'ERRORED' })
      expect((await made.commit(P, dry.transaction_id)).success).toBe(true)
      expect(await made.submission.start({ isAlone: true })).toBe(0)
    })
  })

  test('of several servers each ends what the dead have left, and nothing of the living', async () => {
    let now = 0
    const dictionary = { current: () => MadeSubmission.dictionary() }
    const options = { database: made.database, dictionary, now: () => now }
    const [one, two] = [new Submission(options), new Submission(options)]
    expect(await one.start({ isAlone: false })).toBe(0)
    expect(await two.start({ isAlone: false })).toBe(0)
    const [first] = await rows<{ id: string }>('SELECT id FROM submission_servers ORDER BY id')
    const id = await made.database.write((transaction) =>
      insertTransaction(transaction, {
        ...{ program: 'GDC', project: 'INTERNAL', projectId: P, operation: 'create' },
        ...{ isDryRun: false, submitter: 'a', createdAt: '', canonicalJson: '[]' },
        server: first?.id ?? '',
        document: { name: null, format: 'json', text: '[]' },
      }),
    )
    for (let seconds = 0; seconds < 100; seconds += 10) {
      now += 10_000
      expect([await one.beat(), await two.beat()]).toEqual([0, 0])
    }
    // Only the other one beats on.
    const [dead, alive] = await deadAndAlive(one, two, first?.id)
    await alive.beat()
    for (let seconds = 0; seconds < 60; seconds += 10) {
      now += 10_000
      expect(await alive.beat()).toBe(0)
    }
    now += 10_000
    expect(await alive.beat()).toBe(1)
    expect(await rows(`SELECT state FROM submission_transactions WHERE id = ${id}`)).toEqual([
      { state: 'ERRORED' },
    ])
    // It was only slow, and comes back.
    expect(await dead.beat()).toBe(0)
    expect(await rows('SELECT id FROM submission_servers')).toHaveLength(2)
    await one.close()
    await two.close()
    expect(await rows('SELECT id FROM submission_servers')).toEqual([])
  })

  /** Which of two servers bears an id: it beats, and the count of the row goes up. */
  async function deadAndAlive(one: Submission, two: Submission, id = '') {
    const beats = async () =>
      (await rows<{ id: string; beats: number }>('SELECT id, beats FROM submission_servers')).find(
        (row) => row.id === id,
      )?.beats
    const before = await beats()
    await one.beat()
    return (await beats()) === before ? ([two, one] as const) : ([one, two] as const)
  }

  describe('several at the same time', () => {
    test('of creations of one entity exactly one succeeds', async () => {
      const all = await Promise.all(
        Array.from({ length: 8 }, () => made.upload('create', P, caseOf('C'))),
      )
      expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(400)])
      expect(await names()).toEqual(['C'])
    })

    test('a judgement by what another server has changed is made anew', async () => {
      const dictionary = { current: () => MadeSubmission.dictionary() }
      const other = new Submission({ database: made.database, dictionary })
      const request = { ...made.at(P), operation: 'create', format: 'json' } as const
      const body = Buffer.from(JSON.stringify(caseOf('C')))
      const both = [made.submission, other, made.submission, other]
      const all = await Promise.all(both.map((one) => one.upload({ ...request, body })))
      expect(all.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
      expect(made.faults).toEqual([])
    })
  })

  describe('who may, and when', () => {
    const someone = (...roles: readonly string[]): Principal => ({
      user: 'someone',
      admin: false,
      projects: new Map([[P, roles]]),
    })
    const upload = (principal: Principal | undefined, operation: 'create' | 'put' | 'patch') =>
      made.submission.upload({
        ...made.at(P),
        ...{ principal, tokenGiven: principal !== undefined, operation, format: 'json' },
        body: Buffer.from(JSON.stringify(caseOf('C'))),
      })

    test('every operation asks for its roles', async () => {
      await expect(upload(undefined, 'create')).rejects.toMatchObject({ code: 'unauthenticated' })
      const refusal = "You don't have access to the data: You don't have create role to do 'upload'"
      await expect(upload(someone('update'), 'create')).rejects.toThrow(refusal)
      await expect(upload(someone('create'), 'put')).rejects.toThrow('update role')
      expect((await upload(someone('create', 'update'), 'put')).status).toBe(200)
      expect((await upload(someone('update'), 'patch')).status).toBe(200)
      const ids = [idOf('x')]
      const by = { principal: someone('update'), tokenGiven: true }
      await expect(made.submission.delete({ ...made.at(P), ...by, ids })).rejects.toThrow(
        'delete role',
      )
      await expect(made.submission.entities({ ...made.at(P), ...by, ids })).rejects.toThrow(
        'read role',
      )
      expect(await states()).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED'])
    })

    test('names of projects are found in any case, unknown ones are told before roles', async () => {
      const request = { ...made.at('gdc-internal'), ids: [idOf('x')] }
      await expect(made.submission.delete(request)).resolves.toMatchObject({ status: 400 })
      const reader = { principal: someone('read'), tokenGiven: true }
      const at = (projectId: string) =>
        made.submission.delete({ ...made.at(projectId), ...reader, ids: [] })
      await expect(at('NO-INTERNAL')).rejects.toThrow('Program NO not found')
      await expect(at('GDC-NO')).rejects.toThrow('Project NO not found')
    })

    test('a project that is not open takes nothing, and leaves no record of that', async () => {
      await made.database.write((transaction) =>
        transaction.run("UPDATE submission_projects SET state = 'submitted'"),
      )
      await expect(made.upload('create', P, caseOf('C'))).rejects.toThrow(
        "Project is in state 'submitted', which prevents /submission/GDC/INTERNAL. In order to perform this action, the project must be in state <open>.",
      )
      expect(await states()).toEqual(['SUCCEEDED'])
    })
  })

  describe('actions on a project', () => {
    const act = async (action: 'open' | 'review' | 'submit' | 'release', isDryRun = false) => {
      const { status, body } = await made.submission.act({ ...made.at(P), action, isDryRun })
      return { status, ...(body as UploadBody & { readonly submitted_entity_count?: number }) }
    }

    test('a project is reviewed, submitted and released, and its entities are handed over', async () => {
      await made.upload('create', P, [caseOf('C'), sampleOf('S', 'C')])
      expect(await act('release')).toMatchObject({
        status: 400,
        message: 'Release transaction failed.',
        transactional_errors: [
          { message: 'Project is not releasable. Project must be submitted at least once first.' },
        ],
      })
      await expect(act('submit')).rejects.toThrow(
        "Project is in state 'open', which prevents /submission/GDC/INTERNAL. In order to perform this action, the project must be in state <review>.",
      )
      await act('review')
      expect((await act('open')).message).toBe("Successfully transitioned project state to 'open'")
      expect((await act('review')).status).toBe(200)
      await expect(made.upload('create', P, caseOf('D'))).rejects.toThrow("in state 'review'")

      const dry = await act('submit', true)
      expect(dry).toMatchObject({ submitted_entity_count: 2, entities: [{}, { action: 'submit' }] })
      expect(dry.message).toBe('Dry run successful. Would have submitted 2 entities.')
      const real = await made.commit(P, dry.transaction_id)
      expect(real.message).toBe('Successfully submitted 2 entities.')
      expect(await rows('SELECT DISTINCT state FROM submission_entities')).toEqual([
        { state: 'submitted' },
      ])
      expect((await act('release')).message).toBe('Successfully released project')
      expect((await act('release')).transactional_errors).toEqual([
        { message: 'Project is already released.' },
      ])
      const [project] = await rows('SELECT state, releasable, released FROM submission_projects')
      expect(project).toEqual({ state: 'submitted', releasable: 1, released: 1 })
    })
  })

  test('a release names what was accepted and not submitted: it goes without', async () => {
    const act = async (action: 'review' | 'submit' | 'release', isDryRun = false) =>
      (await made.submission.act({ ...made.at(P), action, isDryRun })).body as UploadBody
    await made.upload('create', P, caseOf('C'))
    for (const action of ['review', 'submit'] as const) await act(action)
    // As `casemill release` leaves it: open for the next batch.
    await made.database.write((transaction) =>
      transaction.run("UPDATE submission_projects SET state = 'open'"),
    )
    await made.upload('create', P, [caseOf('D'), sampleOf('S', 'D')])
    const rest =
      '2 entities are not submitted (1 case, 1 sample). No release takes them before you review and submit the project and release it again.'
    expect((await act('release', true)).message).toBe(
      `Dry run successful. Would have released project. ${rest}`,
    )
    expect(await act('release')).toMatchObject({
      ...{ success: true, message: `Successfully released project. ${rest}` },
    })
  })

  describe('a project that was submitted', () => {
    const action = (name: 'open' | 'review' | 'submit' | 'release', principal?: Principal) =>
      made.submission.act({ ...made.at(P), ...(principal && { principal }), action: name })

    test('is opened again by administrators alone, and its entities are the submitters again', async () => {
      const { entities } = await made.upload('create', P, [caseOf('C'), sampleOf('S', 'C')])
      await made.seed(P, {
        ...{ type: 'clinical_supplement', name: 'F', isFile: true, fileState: 'validated' },
        properties: { file_name: 'f.xml' },
      })
      for (const name of ['review', 'submit', 'release'] as const) {
        expect((await action(name)).status).toBe(200)
      }
      const releaser: Principal = {
        user: 'ada',
        admin: false,
        projects: new Map([[P, ['read', 'update', 'release', 'admin']]]),
      }
      await expect(action('open', releaser)).rejects.toThrow(
        "Project is in state 'submitted', which prevents /submission/GDC/INTERNAL. In order to perform this action, the project must be in state <review>.",
      )
      const dry = await made.submission.act({ ...made.at(P), action: 'open', isDryRun: true })
      expect(dry).toMatchObject({ status: 200, body: { entities: { length: 3 } } })
      const { status, body } = await action('open')
      expect([status, (body as UploadBody).message]).toEqual([
        ...[200, "Successfully transitioned project state to 'open'"],
      ])
      expect((body as UploadBody).entities.map((one) => one.action)).toEqual([
        ...['update', 'update', 'update'],
      ])
      expect(await rows('SELECT state, releasable, released FROM submission_projects')).toEqual([
        { state: 'open', releasable: 1, released: 0 },
      ])
      expect(
        await rows(
          'SELECT DISTINCT state, file_state FROM submission_entities ORDER BY file_state',
        ),
      ).toEqual(
        expect.arrayContaining([
          { state: 'validated', file_state: null },
          { state: 'validated', file_state: 'validated' },
        ]),
      )
      const [log] = await rows<{ id: number }>(
        'SELECT id, role, submitter, state FROM submission_transactions ORDER BY id DESC LIMIT 1',
      )
      expect(log).toMatchObject({ role: 'open', submitter: 'admin', state: 'SUCCEEDED' })
      const changed = await rows<{ old_props: string; new_props: string }>(
        `SELECT old_props, new_props FROM submission_snapshots WHERE transaction_id = ${log?.id}`,
      )
      expect(changed).toHaveLength(3)
      for (const { old_props, new_props } of changed) {
        expect(JSON.parse(old_props)).toMatchObject({ state: 'submitted' })
        expect(JSON.parse(new_props)).toMatchObject({ state: 'validated' })
      }
      expect(await made.upload('put', P, sampleOf('S', 'C', { is_ffpe: undefined }))).toMatchObject(
        {
          success: true,
        },
      )
      const gone = await made.delete(
        P,
        entities.map(({ id }) => id ?? ''),
      )
      expect(gone).toMatchObject({ deleted_entity_count: 2 })
      await expect(action('open')).rejects.toThrow(
        'the project must be in state <review or submitted or processing or processed>',
      )
    })
  })

  describe('files of a project that is submitted', () => {
    const act = async (action: 'open' | 'review' | 'submit', isDryRun = false) => {
      const { status, body } = await made.submission.act({ ...made.at(P), action, isDryRun })
      return { status, ...(body as UploadBody) }
    }

    test('are reported by name and id, with what is to be done, while their data are not valid', async () => {
      const states = ['registered', 'uploading', 'validating', 'error', 'validated']
      const name = (state: string) => `${state}.xml`
      await made.seed(
        P,
        ...states.map((fileState) => {
          const properties = { file_name: name(fileState) }
          return {
            type: 'clinical_supplement',
            name: fileState,
            isFile: true,
            fileState,
            properties,
          }
        }),
      )
      await act('review')
      for (const isDryRun of [true, false]) {
        const answer = await act('submit', isDryRun)
        expect(answer).toMatchObject({ status: 400, entity_error_count: 4, success: false })
        const reported = answer.entities.map(({ unique_keys: [key], errors: [error] }) => [
          ...[key?.submitter_id, error?.type, error?.keys, error?.message],
        ])
        const id = idOf
        const isNot = (state: string, what: string) => [
          ...[state, 'INVALID_PERMISSIONS', ['file_state']],
          `The data of file "${name(state)}" (files/${id(state)}) are not valid in file_state '${state}': ${what}.`,
        ]
        expect(reported).toEqual([
          isNot(
            'registered',
            'they were not uploaded; open the project, and upload them or delete the entity',
          ),
          isNot(
            'uploading',
            'they are being uploaded; open the project, and complete or abort the upload',
          ),
          isNot('validating', 'they are being checked; try again when the file is validated'),
          isNot(
            'error',
            'they are not what the entity says; open the project, and upload them again',
          ),
          ['validated', undefined, undefined, undefined],
        ])
      }
      expect(await rows('SELECT state FROM submission_projects')).toEqual([{ state: 'review' }])
      expect(await rows('SELECT DISTINCT state FROM submission_entities')).toEqual([
        { state: 'validated' },
      ])
      expect((await act('open')).status).toBe(200)
    })
  })

  describe.skipIf(!available.shared)('recorded requests about a transaction', () => {
    if (!available.shared) return
    test('vector 14: an entity as it is stored', async () => {
      const { response } = readVector('14_submission.json') as {
        response: { entities: { properties: object }[] }
      }
      const { entities } = await made.upload('create', P, caseOf('C'))
      const { body } = await made.submission.entities({
        ...made.at(P),
        ids: [`${entities[0]?.id}`],
      })
      const [one] = (body as { entities: { properties: object }[] }).entities
      const wanted = Object.keys(response.entities[0]?.properties ?? {})
      expect(Object.keys(one?.properties ?? {})).toEqual(expect.arrayContaining(wanted))
    })

    test('vector 18: a deletion; unique keys are told beside what was published', async () => {
      const { response } = readVector('18_submission.json') as { response: UploadBody }
      const id = '67782964-0065-491d-b051-2ae404bb734d'
      await made.seed(P, { type: 'case', name: 'C', id })
      const { status, transaction_id, ...answer } = await made.delete(P, [id])
      const { transaction_id: other, ...published } = response
      const [entity] = published.entities
      const unique_keys = [{ project_id: P, submitter_id: 'C' }]
      expect(answer).toEqual({ ...published, entities: [{ ...entity, unique_keys }] })
    })
  })
})
