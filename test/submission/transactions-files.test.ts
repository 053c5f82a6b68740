import { describe, expect, test } from 'vitest'
import { canRun, DIALECTS } from '../shared/database/support/dialects.ts'
import { caseOf, fileOf } from './support/documents.ts'
import { idOf, type MadeSubmission, type UploadBody } from './support/service.ts'
import { errorsOf, P, prepareTransactions } from './support/transactions.ts'

describe.each(DIALECTS.filter(canRun))('files in %s', (dialect) => {
  let made: MadeSubmission
  const { rows, names } = prepareTransactions(dialect, (opened) => {
    made = opened
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
      // The answer is that of vector 20.
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
})
