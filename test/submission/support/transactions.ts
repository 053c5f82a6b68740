import { afterAll, beforeAll, beforeEach } from 'vitest'
import { prepareBed } from '../../shared/database/support/dialects.ts'
import { MadeSubmission, type UploadBody } from './service.ts'

/** The project that every test of transactions finds registered and empty. */
export const P = 'GDC-INTERNAL'

/** Returns the document of a demographic with the required properties. */
export const demographicOf = (name: string) => ({
  type: 'demographic',
  submitter_id: name,
  ethnicity: 'not reported',
  race: 'asian',
  vital_status: 'Alive',
  sex_at_birth: 'female',
})

/** Returns the errors of each entity as texts: type and message. */
export const errorsOf = ({ entities }: UploadBody) =>
  entities.map(({ errors }) => errors.map(({ type, message }) => `${type} ${message}`))

/**
 * Opens a submission over an empty database before all tests of a `describe`, and empties it before each of
 * them. Returns queries on its database.
 * @param use called with the submission once it is open
 */
export function prepareTransactions(
  dialect: Parameters<typeof prepareBed>[0],
  use: (made: MadeSubmission) => void,
) {
  let made: MadeSubmission
  const bed = prepareBed(dialect)
  beforeAll(async () => {
    made = await MadeSubmission.open({}, bed.server && (await bed.place()))
    use(made)
  })
  beforeEach(async () => {
    await made.reset()
    await made.register(P)
    made.faults.length = 0
  })
  afterAll(() => made.close())

  function rows<Row>(sql: string): Promise<Row[]> {
    return made.database.read((all) => all.all<Row>(sql))
  }
  return {
    rows,
    /** Returns the states of all transactions, latest first. */
    async states() {
      const found = await rows<{ state: string }>(
        'SELECT state FROM submission_transactions ORDER BY id DESC',
      )
      return found.map(({ state }) => state)
    },
    /** Returns the names of all current entities, sorted. */
    async names() {
      const found = await rows<{ submitter_id: string }>(
        'SELECT submitter_id FROM submission_entities WHERE is_current = 1 ORDER BY submitter_id',
      )
      return found.map((row) => row.submitter_id)
    },
  }
}
