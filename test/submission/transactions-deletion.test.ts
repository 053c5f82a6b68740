import { beforeEach, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { canRun, DIALECTS } from '../shared/database/support/dialects.ts'
import { aliquotOf, caseOf, sampleOf } from './support/documents.ts'
import { readVector } from './support/published.ts'
import { idOf, type MadeSubmission, type UploadBody } from './support/service.ts'
import { errorsOf, P, prepareTransactions } from './support/transactions.ts'

describe.each(DIALECTS.filter(canRun))('deletions in %s', (dialect) => {
  let made: MadeSubmission
  const { rows, names } = prepareTransactions(dialect, (opened) => {
    made = opened
  })

  describe('deletion', () => {
    beforeEach(async () => {
      await made.upload('create', P, [
        caseOf('C', { id: idOf('C') }),
        sampleOf('S', 'C', { id: idOf('S') }),
        { ...aliquotOf('A', 'S'), id: idOf('A') },
      ])
    })

    test('an entity with children is deleted only together with them', async () => {
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

    test('unknown and submitted entities are not deleted', async () => {
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

    test('vector 18: a deletion; unique keys are reported beside what was published', async () => {
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
