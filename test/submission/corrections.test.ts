import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '../../engine/shared/access/grants.ts'
import type { Principal } from '../../engine/shared/access/principal.ts'
import { canRun, DIALECTS, prepareBed } from '../shared/database/support/dialects.ts'
import { caseOf, fileOf, sampleOf } from './support/documents.ts'
import { idOf, MadeSubmission, type UploadBody } from './support/service.ts'

// The actions on entities that a release contains (data-commons.md 11.38).

const P = 'GDC-INTERNAL'
const userWith = (...roles: readonly Role[]): Principal => ({
  user: 'ada',
  admin: false,
  projects: new Map([[P, roles]]),
})
const RELEASER = userWith('read', 'create', 'update', 'delete', 'release')
const SUBMITTER = userWith('read', 'create', 'update', 'delete', 'admin')

describe.each(DIALECTS.filter(canRun))('released entities in %s', (dialect) => {
  let made: MadeSubmission
  const bed = prepareBed(dialect)
  beforeAll(async () => {
    made = await MadeSubmission.open({}, bed.server && (await bed.place()))
  })
  beforeEach(async () => {
    await made.reset()
    await made.register(P)
    const released = { state: 'released' }
    await made.seed(
      P,
      {
        type: 'case',
        name: 'C',
        ...released,
        properties: { disease_type: 'Gliomas', primary_site: 'Brain', consent_type: 'Waiver' },
        links: { projects: 'daa208a7-f57a-562c-a04a-7a7c77542c98' },
      },
      { type: 'sample', name: 'S', ...released, links: { cases: 'C' }, properties: sampleFacts },
      { type: 'sample', name: 'T', ...released, links: { cases: 'C' }, properties: sampleFacts },
      {
        type: 'clinical_supplement',
        name: 'F',
        isFile: true,
        fileState: 'released',
        ...released,
        links: { cases: 'C' },
        properties: fileFacts,
      },
    )
  })
  afterAll(() => made.close())

  const { type: _, submitter_id: __, cases: ___, ...sampleFacts } = sampleOf('S', 'C')
  const { type: ____, submitter_id: _____, ...fileFacts } = fileOf('F')

  async function put(principal: Principal, body: object) {
    const { status, body: answer } = await made.submission.upload({
      ...made.at(P),
      principal,
      operation: 'put',
      format: 'json',
      body: Buffer.from(JSON.stringify(body)),
    })
    return { status, ...(answer as UploadBody) }
  }

  const stored = (name: string) =>
    made.database.read((rows) =>
      rows.get<{ state: string; file_state: string | null; version: number; is_current: number }>(
        'SELECT state, file_state, version, is_current FROM submission_entities WHERE id = ?',
        [idOf(name)],
      ),
    )

  const snapshots = (name: string) =>
    made.database.read((rows) =>
      rows.all<{ action: string; old_props: string; new_props: string }>(
        `SELECT action, old_props, new_props FROM submission_snapshots WHERE entity_id = ?
         ORDER BY transaction_id`,
        [idOf(name)],
      ),
    )

  test('are corrected by who may release, and by nobody else', async () => {
    const body = sampleOf('S', 'C', { tumor_descriptor: 'Metastatic' })
    const refused = await put(SUBMITTER, body)
    expect(refused).toMatchObject({ status: 400, success: false })
    expect(refused.entities[0]?.errors).toEqual([
      {
        keys: ['state'],
        type: 'INVALID_PERMISSIONS',
        message:
          "Entity is in state 'released', which prevents an update. It is corrected by a user with the role release.",
      },
    ])
    const taken = await put(RELEASER, body)
    expect(taken).toMatchObject({ status: 200, updated_entity_count: 1 })
    expect(taken.entities[0]).toMatchObject({ action: 'update', id: idOf('S') })
    expect(await stored('S')).toMatchObject({ state: 'submitted', version: 2, is_current: 1 })
    const [before] = await snapshots('S')
    expect(JSON.parse(before?.old_props ?? '')).toMatchObject({
      state: 'released',
      tumor_descriptor: 'Primary',
    })
    expect(JSON.parse(before?.new_props ?? '')).toMatchObject({
      state: 'submitted',
      tumor_descriptor: 'Metastatic',
    })
    // The next release contains one new version.
    await put(RELEASER, sampleOf('S', 'C', { tumor_descriptor: 'Recurrence' }))
    expect(await stored('S')).toMatchObject({ state: 'submitted', version: 2 })
    expect((await put(SUBMITTER, body)).success).toBe(false)
    expect(await snapshots('S')).toHaveLength(2)
  })

  test('stay as they are when nothing about them changes', async () => {
    expect(await put(RELEASER, sampleOf('S', 'C'))).toMatchObject({ success: true })
    expect(await stored('S')).toMatchObject({ state: 'released', version: 1 })
  })

  test('have the version of their data when they are files', async () => {
    const file = (more: object) => fileOf('F', { cases: { submitter_id: 'C' }, ...more })
    const renamed = await put(RELEASER, file({ file_name: 'other.xml' }))
    expect(renamed.entities[0]?.errors).toMatchObject([
      { keys: ['file_name'], message: expect.stringContaining('changes with its data alone') },
    ])
    expect(await put(RELEASER, file({ data_format: 'BCR Biotab' }))).toMatchObject({
      success: true,
    })
    expect(await stored('F')).toMatchObject({
      state: 'submitted',
      file_state: 'released',
      version: 1,
    })
    const next = await put(SUBMITTER, file({ md5sum: 'f'.repeat(32) }))
    expect(next.entities[0]).toMatchObject({ action: 'version', valid: true })
  })

  test('that were corrected stay submitted when their project is reopened', async () => {
    await put(RELEASER, sampleOf('S', 'C', { tumor_descriptor: 'Metastatic' }))
    await put(RELEASER, caseOf('NEW'))
    for (const action of ['review', 'submit', 'open'] as const) {
      const { status } = await made.submission.act({ ...made.at(P), action })
      expect(status).toBe(200)
    }
    expect(await stored('S')).toMatchObject({ state: 'submitted', version: 2 })
    const all = await made.database.read((rows) =>
      rows.all("SELECT state FROM submission_entities WHERE submitter_id = 'NEW'"),
    )
    expect(all).toEqual([{ state: 'validated' }])
  })

  const redact = async (names: readonly string[], more: object = {}) => {
    const ids = names.map(idOf)
    const { status, body } = await made.submission.redact({
      ...made.at(P),
      ids,
      reason: 'consent was withdrawn',
      ...more,
    })
    return {
      status,
      ...(body as UploadBody & { readonly redacted_entity_count: number }),
    }
  }

  test('are redacted by administrators with a reason, and with all that is below them', async () => {
    await expect(redact(['S'], { principal: SUBMITTER })).rejects.toThrow(
      "You don't have admin role to do 'redact'",
    )
    await expect(redact(['S'], { reason: ' ' })).rejects.toThrow('the reason of a redaction has')
    const alone = await redact(['C'])
    expect(alone).toMatchObject({ status: 400, redacted_entity_count: 0 })
    expect(alone.entities[0]?.errors).toMatchObject([
      {
        type: 'INVALID_LINK',
        message: expect.stringMatching(/^Unable to redact entity because at least 3 other/),
        dependents: expect.arrayContaining([{ id: idOf('S'), type: 'sample' }]),
      },
    ])
    expect((await redact(['S'])).message).toBe('Successfully redacted 1 entities')
    expect(await stored('S')).toMatchObject({ state: 'redacted', is_current: 0 })
    const [one] = await snapshots('S')
    expect(one?.action).toBe('redact')
    expect(JSON.parse(one?.new_props ?? '')).toMatchObject({
      state: 'redacted',
      reason: 'consent was withdrawn',
    })
    expect((await redact(['S'])).entities[0]?.errors).toMatchObject([
      { message: 'Entity is redacted already.' },
    ])
    // Its name is available again, and nothing links to the former entity.
    expect(await put(RELEASER, sampleOf('S', 'C'))).toMatchObject({ created_entity_count: 1 })
    const linked = await put(RELEASER, {
      type: 'aliquot',
      submitter_id: 'A',
      samples: { id: idOf('S') },
    })
    expect(linked.entities[0]?.errors).toMatchObject([
      { message: expect.stringContaining('No link destination found for samples') },
    ])

    const dry = await redact(['C'], { withChildren: true, isDryRun: true })
    expect(dry.entities.filter(({ valid }) => !valid)).toMatchObject([
      { errors: [{ message: expect.stringContaining('it is deleted, not redacted') }] },
    ])
    const [made2] = await made.database.read((rows) =>
      rows.all<{ id: string }>(
        "SELECT id FROM submission_entities WHERE submitter_id = 'S' AND is_current = 1",
      ),
    )
    await made.delete(P, [made2?.id ?? ''])
    const again = await redact(['C'], { withChildren: true, isDryRun: true })
    expect(again.message).toBe('Dry run successful. Would have redacted 3 entities')
    await expect(
      made.submission.commit({
        ...made.at(P),
        principal: SUBMITTER,
        transactionId: again.transaction_id,
      }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    expect(await made.commit(P, again.transaction_id)).toMatchObject({ success: true })
    for (const name of ['C', 'T', 'F']) {
      expect(await stored(name)).toMatchObject({ state: 'redacted', is_current: 0 })
    }
    const log = await made.database.read((rows) =>
      rows.get(
        'SELECT role, operation, canonical_json FROM submission_transactions ORDER BY id DESC LIMIT 1',
      ),
    )
    expect(log).toMatchObject({
      role: 'delete',
      operation: 'redact',
      canonical_json: expect.stringContaining('consent was withdrawn'),
    })
  })
})
