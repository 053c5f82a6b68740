import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../shared/input/json-value.ts'
import { type Conflicts, mergeInto } from './merge.ts'

/** Later ones are merged into the first, all of one standing. */
function merge(...records: readonly JsonObject[]): JsonObject {
  const [first = {}, ...others] = structuredClone(records)
  for (const other of others) mergeInto(first!, other, { isStronger: false, conflicts: new Map() })
  return first!
}
const conflictsOf = (one: JsonObject, other: JsonObject, isStronger = false) => {
  const conflicts: Conflicts = new Map()
  mergeInto(structuredClone(one), structuredClone(other), { isStronger, conflicts })
  return Object.fromEntries(conflicts)
}

describe('single values', () => {
  test('a value beats null and absence; of two values the later one stays', () => {
    expect(merge({ a: null, b: 1, c: 'x' }, { a: 2, b: null, d: false })).toEqual({
      a: 2,
      b: 1,
      c: 'x',
      d: false,
    })
    expect(merge({ a: 1 }, { a: 2 })).toEqual({ a: 2 })
  })

  test('only values that differ are conflicts, and only between equals', () => {
    const one = { a: 1, b: null, c: { d: 'x', e: 'y' }, f: [1], g: [1] }
    const other = { a: 2, b: 3, c: { d: 'z', e: 'y' }, f: [2], g: [1] }
    expect(conflictsOf(one, other)).toEqual({ a: 1, 'c.d': 1, f: 1 })
    expect(conflictsOf(one, other, true)).toEqual({})
  })

  test('a list is replaced, but id lists and database ids of others grow', () => {
    expect(merge({ acl: ['open'] }, { acl: ['p'] })).toEqual({ acl: ['p'] })
    expect(merge({ acl: ['open'] }, { acl: [] })).toEqual({ acl: ['open'] })
    expect(merge({ sample_ids: ['a', 'b'] }, { sample_ids: ['b', 'c'] })).toEqual({
      sample_ids: ['a', 'b', 'c'],
    })
    const ids = (...hgnc: string[]) => ({ external_db_ids: { hgnc } })
    expect(merge(ids('1'), ids('2'))).toEqual(ids('1', '2'))
  })
})

describe('elements', () => {
  test('are told apart by their ids, at every depth', () => {
    const one = {
      diagnoses: [{ diagnosis_id: 'd', a: 1, treatments: [{ treatment_id: 't', b: 1 }] }],
    }
    const other = {
      diagnoses: [
        { diagnosis_id: 'e' },
        { diagnosis_id: 'd', treatments: [{ treatment_id: 'u' }, { treatment_id: 't', c: 2 }] },
      ],
    }
    expect(merge(one, other)).toEqual({
      diagnoses: [
        {
          diagnosis_id: 'd',
          a: 1,
          treatments: [{ treatment_id: 't', b: 1, c: 2 }, { treatment_id: 'u' }],
        },
        { diagnosis_id: 'e' },
      ],
    })
  })

  test('without an id are found by the name that the submitter gave', () => {
    const one = { samples: [{ sample_id: 's', submitter_id: 'N-1' }, { sample_id: 'r' }] }
    const other = {
      samples: [{ submitter_id: 'N-1', sample_type: 'Tumor' }, { submitter_id: 'N-2' }],
    }
    expect(merge(one, other).samples).toEqual([
      { sample_id: 's', submitter_id: 'N-1', sample_type: 'Tumor' },
      { sample_id: 'r' },
      { submitter_id: 'N-2' },
    ])
  })

  test('with other ids are others, whatever the submitter called them', () => {
    const one = { samples: [{ sample_id: 's', submitter_id: 'N-1' }] }
    const other = { samples: [{ sample_id: 't', submitter_id: 'N-1' }] }
    expect(merge(one, other).samples).toHaveLength(2)
  })

  test('that nobody names are found by their position', () => {
    expect(merge({ exposures: [{ a: 1 }, { a: 2 }] }, { exposures: [{ b: 1 }] }).exposures).toEqual(
      [{ a: 1, b: 1 }, { a: 2 }],
    )
    const legacy = { diagnoses: [{ morphology: 'm' }] }
    const named = { diagnoses: [{ diagnosis_id: 'd', morphology: 'n' }] }
    expect(merge(legacy, named).diagnoses).toEqual([{ diagnosis_id: 'd', morphology: 'n' }])
    expect(merge(named, legacy).diagnoses).toEqual([{ diagnosis_id: 'd', morphology: 'm' }])
  })

  test('of the biospecimen that nobody names are one wrapper and never a named sample', () => {
    const wrapped = (id: string) => ({ samples: [{ portions: [{ portion_id: id }] }] })
    const named = { samples: [{ sample_id: 's' }] }
    expect(merge(named, wrapped('p'), wrapped('q')).samples).toEqual([
      { sample_id: 's' },
      { portions: [{ portion_id: 'p' }, { portion_id: 'q' }] },
    ])
  })

  test('are in the order of the stronger source', () => {
    const one = { samples: [{ sample_id: 'a' }, { sample_id: 'b' }, { sample_id: 'x' }] }
    const other = { samples: [{ sample_id: 'c' }, { sample_id: 'b' }, { sample_id: 'a' }] }
    const ids = (record: JsonObject) =>
      (record.samples as JsonObject[]).map((each) => each.sample_id)
    expect(ids(merge(one, other))).toEqual(['a', 'b', 'x', 'c'])
    const first = structuredClone(one)
    mergeInto(first, structuredClone(other), { isStronger: true, conflicts: new Map() })
    expect(ids(first)).toEqual(['c', 'b', 'a', 'x'])
  })

  test('are found among many', () => {
    const cases = Array.from({ length: 500 }, (_, i) => ({ case_id: `c${i}` }))
    const merged = merge(
      { cases },
      { cases: cases.toReversed().map((each) => ({ ...each, x: 1 })) },
    )
    expect(merged.cases).toEqual(cases.map((each) => ({ ...each, x: 1 })))
  })
})

const leaf = fc.oneof(fc.constant(null), fc.nat(3), fc.constantFrom('a', 'b'), fc.boolean())
const sample: fc.Arbitrary<JsonObject> = fc.record(
  {
    sample_id: fc.constantFrom('s1', 's2', 's3'),
    sample_type: leaf,
    portions: fc.uniqueArray(
      fc.record(
        { portion_id: fc.constantFrom('p1', 'p2'), weight: leaf },
        { requiredKeys: ['portion_id'] },
      ),
      { selector: (portion) => portion.portion_id, maxLength: 2 },
    ),
  },
  { requiredKeys: ['sample_id'] },
)
const record: fc.Arbitrary<JsonObject> = fc.record(
  {
    state: leaf,
    sample_ids: fc.uniqueArray(fc.constantFrom('s1', 's2', 's3')),
    demographic: fc.record({ race: leaf, gender: leaf }, { requiredKeys: [] }),
    samples: fc.uniqueArray(sample, { selector: (each) => each.sample_id, maxLength: 3 }),
  },
  { requiredKeys: [] },
)

describe('laws', () => {
  test('merging the same again changes nothing', () => {
    fc.assert(
      fc.property(record, record, (one, other) => {
        expect(merge(one, one)).toEqual(one)
        const both = merge(one, other)
        expect(merge(both, other)).toEqual(both)
        expect(conflictsOf(both, other)).toEqual({})
      }),
      { seed: 5 },
    )
  })

  test('it does not matter which of three are merged first', () => {
    fc.assert(
      fc.property(record, record, record, (a, b, c) => {
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)))
      }),
      { seed: 6 },
    )
  })

  test('nothing that one of them says is lost', () => {
    fc.assert(
      fc.property(record, record, (one, other) => {
        const both = merge(one, other)
        for (const each of [one, other])
          for (const name of Object.keys(each)) expect(both).toHaveProperty(name)
        const ids = (of: JsonObject) =>
          ((of.samples ?? []) as JsonObject[]).map((each) => each.sample_id)
        expect(new Set(ids(both))).toEqual(new Set([...ids(one), ...ids(other)]))
      }),
      { seed: 7 },
    )
  })
})
