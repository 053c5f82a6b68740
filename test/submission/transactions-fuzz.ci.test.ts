import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EngineError } from '../../engine/shared/errors.ts'
import { canRun, DIALECTS, prepareBed } from '../shared/database/support/dialects.ts'
import { idOf, MadeSubmission } from './support/service.ts'

const P = 'GDC-INTERNAL'

const HEX = fc.constantFrom(...'0123456789abcdef')

/** Unexpected values. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, '', ' ', '\0', 'a\0b', '__proto__', 'C', 0, -1.5, 1e300, true),
  fc.constantFrom<unknown>([], {}, [[]], [null], [{}], { submitter_id: 1 }, { id: null }),
  fc.constantFrom(
    'x'.repeat(100_000),
    '\ud800',
    "'; DROP TABLE",
    idOf('C'),
    idOf('C').toUpperCase(),
  ),
  fc.jsonValue({ maxDepth: 3 }),
)
const link = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ submitter_id: 'C' }) },
  { weight: 1, arbitrary: fc.constant({ id: idOf('C'), code: 'INTERNAL', name: 'x' }) },
  { weight: 1, arbitrary: odd },
  { weight: 1, arbitrary: fc.array(odd, { maxLength: 3 }) },
)

describe.each(DIALECTS.filter(canRun))('in %s', (dialect) => {
  const bed = prepareBed(dialect)
  let made: MadeSubmission
  beforeAll(async () => {
    made = await MadeSubmission.open({}, bed.server && (await bed.place()))
  })
  afterAll(() => made.close())

  test('a name is either kept as it is or refused', async () => {
    await made.reset()
    await made.register(P)
    const name = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
      fc.string({ unit: fc.constantFrom('\0', '\ud800', '\udc00', "'", '"', '\\', '%', '\n') }),
      // Values of the maximum length that an index cannot compress.
      fc
        .integer({ min: 1995, max: 2005 })
        .chain((length) => fc.string({ unit: HEX, minLength: length, maxLength: length })),
    )
    await fc.assert(
      fc.asyncProperty(name, async (submitter_id) => {
        const document = {
          type: 'case',
          submitter_id,
          disease_type: 'Gliomas',
          primary_site: 'Brain',
        }
        const own = { ...document, projects: { code: 'INTERNAL' } }
        const { success, entities } = await made.upload('put', P, own)
        const isName =
          submitter_id !== '' && submitter_id.isWellFormed() && !submitter_id.includes('\0')
        expect(success).toBe(isName && Buffer.byteLength(submitter_id) <= 2000)
        expect(made.faults).toEqual([])
        if (!success) return
        const ids = [String(entities[0]?.id)]
        const { body } = await made.submission.entities({ ...made.at(P), ids })
        expect(body).toMatchObject({ entities: [{ properties: { submitter_id } }] })
        expect((await made.upload('patch', P, document)).entities[0]?.id).toBe(ids[0])
      }),
      { numRuns: 25, seed: 46 },
    )
  })

  test('no document brings the service to a fault of its own', async () => {
    await made.reset()
    await made.register(P)
    await made.seed(P, { type: 'case', name: 'C' })
    const { types } = await MadeSubmission.dictionary()
    const document = fc.constantFrom(...types.values()).chain((type) => {
      const keys = [...type.properties.keys(), 'new_submitter_id', 'unknown', '__proto__']
      const own = fc.dictionary(fc.constantFrom(...keys), odd, { maxKeys: 4 })
      const links = fc.dictionary(fc.constantFrom(...type.links.keys(), 'x'), link, { maxKeys: 3 })
      return fc.record({ own, links, name: fc.constantFrom('C', 'D', 'E') }).map((one) => ({
        type: type.name,
        submitter_id: one.name,
        ...one.links,
        ...one.own,
      }))
    })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('create', 'put', 'patch'),
        fc.array(fc.oneof({ weight: 9, arbitrary: document }, { weight: 1, arbitrary: odd }), {
          maxLength: 4,
        }),
        async (operation, documents) => {
          try {
            const { status, success } = await made.upload(operation, P, documents)
            expect([200, 201, 400]).toContain(status)
            expect(success).toBe(status !== 400)
          } catch (error) {
            expect(error).toBeInstanceOf(EngineError)
            expect((error as EngineError).code).toBe('bad_input')
          }
          expect(made.faults).toEqual([])
        },
      ),
      { numRuns: 40, seed: 45 },
    )
    const states = await made.database.read((rows) =>
      rows.all<{ state: string }>('SELECT DISTINCT state FROM submission_transactions'),
    )
    expect(states.map(({ state }) => state).sort()).toEqual(['FAILED', 'SUCCEEDED'])
  })
})
