import { describe, expect, test } from 'vitest'
import type { Principal } from '../../engine/shared/access/principal.ts'
import { canRun, DIALECTS } from '../shared/database/support/dialects.ts'
import { caseOf, sampleOf } from './support/documents.ts'
import { idOf, type MadeSubmission, type UploadBody } from './support/service.ts'
import { P, prepareTransactions } from './support/transactions.ts'

describe.each(DIALECTS.filter(canRun))('rights and states of projects in %s', (dialect) => {
  let made: MadeSubmission
  const { rows, states } = prepareTransactions(dialect, (opened) => {
    made = opened
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
        principal,
        tokenGiven: principal !== undefined,
        operation,
        format: 'json',
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

    test('names of projects are found in any case, unknown ones are reported before roles', async () => {
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
    // `casemill release` leaves the project open for the next batch, as here.
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
      success: true,
      message: `Successfully released project. ${rest}`,
    })
  })

  describe('a project that was submitted', () => {
    const action = (name: 'open' | 'review' | 'submit' | 'release', principal?: Principal) =>
      made.submission.act({ ...made.at(P), ...(principal && { principal }), action: name })

    test('is opened again by administrators alone, and its entities are the submitters again', async () => {
      const { entities } = await made.upload('create', P, [caseOf('C'), sampleOf('S', 'C')])
      await made.seed(P, {
        type: 'clinical_supplement',
        name: 'F',
        isFile: true,
        fileState: 'validated',
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
})
