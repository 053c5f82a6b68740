import { describe, expect, test } from 'vitest'
import { canRun, DIALECTS } from '../shared/database/support/dialects.ts'
import { aliquotOf, caseOf, fileOf, sampleOf } from './support/documents.ts'
import { idOf, type MadeSubmission } from './support/service.ts'
import { demographicOf, errorsOf, P, prepareTransactions } from './support/transactions.ts'

describe.each(DIALECTS.filter(canRun))('uploads in %s', (dialect) => {
  let made: MadeSubmission
  const { rows, states, names } = prepareTransactions(dialect, (opened) => {
    made = opened
  })

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

    test('one faulty entity keeps all others out, and every fault of every entity is reported', async () => {
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

    test('entities that the schema refuses also have the errors of their links', async () => {
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
          // An entity with an error does not affect the others.
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

    test('unknown entities cannot be patched, and existing ones not be created', async () => {
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

    test('system properties are left as they are, and that is reported', async () => {
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
})
