import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  finished,
  openedCodes,
  packagesOf,
  READER,
  refusal,
} from '../../engine/registry/codes/support/made-codes.ts'
import { EngineError } from '../../engine/shared/errors.ts'
import { depth } from '../depth.ts'
import { strictFaults } from './support/strict-codes.ts'

// A table with any content is imported completely or rejected with a reason, and what is stored is valid.

const cell = fc.oneof(
  fc.constantFrom(
    '',
    'CHEMOTHERAPY',
    'Ancillary;chemotherapy',
    'true',
    'no',
    'x',
    '"',
    '"a,b"',
    '\u0000',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const code = fc.oneof(
  fc.constantFrom(
    '0002-0485',
    '0002-0485-04',
    '00002048504',
    '12345-678',
    '12345067800',
    '9-9',
    '',
  ),
  cell,
)
const name = fc.constantFrom(
  ...[
    'categories',
    'Category',
    'class',
    'seer_rx_id',
    'orphan_drug',
    'minor drug class',
    'remarks',
    '',
  ],
)
const table = fc
  .record({
    first: fc.constantFrom('ndc', 'NDC', 'code', 'hcpcs'),
    names: fc.uniqueArray(name, { maxLength: 4 }),
    rows: fc.array(fc.tuple(code, fc.array(cell, { maxLength: 5 })), { maxLength: 5 }),
    mark: fc.constantFrom('\t', ','),
    isWide: fc.boolean(),
  })
  .map(({ first, names, rows, mark, isWide }) => {
    const width = names.length
    const fitted = (cells: readonly string[]) =>
      isWide ? cells : Array.from({ length: width }, (_, i) => cells[i] ?? '')
    const lines = rows.map(([one, cells]) => [one, ...fitted(cells)].join(mark))
    return [[first, ...names].join(mark), ...lines].join('\n')
  })

test('tables of categories are taken or refused, never half', async () => {
  const made = await openedCodes()
  await made.importNdc(
    finished(['0002-0485', 'Alpha'], ['12345-678', 'Beta']),
    packagesOf('0002-0485-04'),
  )
  const state = async () =>
    Promise.all(
      ['0002-0485', '12345-678'].map(async (one) => (await made.ndc.product(READER, one)).record),
    )
  const ends = { taken: 0, kept: 0, refused: 0 }
  const property = fc.asyncProperty(table, fc.boolean(), async (text, dryRun) => {
    const path = await made.give(text)
    const before = await state()
    const run = () => made.ndc.importCategories(path, { user: 'fuzz', dryRun })
    const report = await run().catch((error: unknown) => {
      if (error instanceof EngineError) return undefined
      throw error
    })
    const after = await state()
    if (!report?.loaded || dryRun) expect(after).toEqual(before)
    if (!report) {
      expect((await refusal(run)).code).toBe('bad_input')
      ends.refused++
    } else ends[report.loaded ? 'taken' : 'kept']++
    expect(after.flatMap((record) => strictFaults('ndc', record))).toEqual([])
    if (report?.loaded && !dryRun) expect((await run()).records?.changed).toBe(0)
  })
  await fc.assert(property, { seed: 84, numRuns: depth(150, 150, 5000) })
  for (const count of Object.values(ends)) expect(count).toBeGreaterThan(5)
})
