import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomCase, randomVersion } from './support/random-versions.ts'
import { ENGINES } from './support/staging-engines.ts'

// Any compiled algorithm gives the same answers as reading its rows one by one, with errors in the same order.

const SEED = 32

test('a compiled algorithm answers as a row-scan interpreter of the same rules', () => {
  const results = new Map<string, number>()
  fc.assert(
    fc.property(randomVersion, fc.array(randomCase, { minLength: 12 }), (content, cases) => {
      const ours = ENGINES['the compiled engine'](content)
      const plain = ENGINES['the row-scan interpreter'](content)
      for (const input of cases) {
        const told = ours.stage(input)
        expect(told).toStrictEqual(plain.stage(input))
        const what = told.path.length > 0 ? 'STAGED along a path' : told.result
        results.set(what, (results.get(what) ?? 0) + 1)
        expect(ours.lookup(input)).toEqual(plain.lookup(input))
        for (const table of content.tables.keys()) {
          expect(ours.match(table, input)).toBe(plain.match(table, input))
        }
      }
    }),
    { seed: SEED, numRuns: 2000 },
  )
  // Every possible outcome of a case occurred.
  expect([...results.keys()].sort()).toEqual([
    'FAILED_INVALID_INPUT',
    'FAILED_INVALID_YEAR_DX',
    'FAILED_MISSING_SITE_OR_HISTOLOGY',
    'FAILED_MULITPLE_MATCHING_SCHEMAS',
    'FAILED_NO_MATCHING_SCHEMA',
    'STAGED',
    'STAGED along a path',
  ])
  expect(results.get('STAGED along a path')).toBeGreaterThan(1000)
})

test('a schema alone changes a context as a row-scan interpreter does', () => {
  fc.assert(
    fc.property(randomVersion, fc.array(randomCase, { minLength: 5 }), (content, cases) => {
      const ours = ENGINES['the compiled engine'](content)
      const plain = ENGINES['the row-scan interpreter'](content)
      for (const schema of content.schemas.values()) {
        for (const input of cases) {
          const { context, path, ...told } = ours.process(schema, input)
          const wanted = plain.process(schema, input)
          expect({ ...told, context: { ...context } }).toEqual({
            failed: wanted.failed,
            errors: wanted.errors,
            context: wanted.context,
          })
          expect(told.failed ? [] : path).toEqual(wanted.path)
        }
      }
    }),
    { seed: SEED, numRuns: 1000 },
  )
})
