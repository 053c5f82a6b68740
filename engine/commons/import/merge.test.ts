import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../shared/input/json-value.ts'
import { type Conflicts, mergeInto } from './merge.ts'

/** Merges later records into the first. All have the same rank. */
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
    const one = { diagnoses: [{ diagnosis_id: 's', submitter_id: 'N-1' }, { diagnosis_id: 'r' }] }
    const other = {
      diagnoses: [{ submitter_id: 'N-1', morphology: 'Tumor' }, { submitter_id: 'N-2' }],
    }
    expect(merge(one, other).diagnoses).toEqual([
      { diagnosis_id: 's', submitter_id: 'N-1', morphology: 'Tumor' },
      { diagnosis_id: 'r' },
      { submitter_id: 'N-2' },
    ])
  })

  test('with other ids are others, whatever the submitter called them', () => {
    const one = { diagnoses: [{ diagnosis_id: 's', submitter_id: 'N-1' }] }
    const other = { diagnoses: [{ diagnosis_id: 't', submitter_id: 'N-1' }] }
    expect(merge(one, other).diagnoses).toHaveLength(2)
  })

  test('that nobody names are found by their position', () => {
    expect(merge({ exposures: [{ a: 1 }, { a: 2 }] }, { exposures: [{ b: 1 }] }).exposures).toEqual(
      [{ a: 1, b: 1 }, { a: 2 }],
    )
    const nameless = { index_files: [{ file_size: 1 }] }
    const named = { index_files: [{ file_id: 'f', file_size: 2 }] }
    expect(merge(nameless, named).index_files).toEqual([{ file_id: 'f', file_size: 2 }])
    expect(merge(named, nameless).index_files).toEqual([{ file_id: 'f', file_size: 1 }])
  })

  test('of a patient that nobody names are not taken for named ones at their position', () => {
    const nameless = { diagnoses: [{ a: 1 }] }
    const named = { diagnoses: [{ diagnosis_id: 'd', a: 2 }] }
    for (const both of [merge(nameless, named), merge(named, nameless)]) {
      expect(both.diagnoses).toHaveLength(2)
      expect(merge(both, nameless, named)).toEqual(both)
    }
  })

  test('are in the order of the stronger source', () => {
    const one = { diagnoses: [{ diagnosis_id: 'a' }, { diagnosis_id: 'b' }, { diagnosis_id: 'x' }] }
    const other = {
      diagnoses: [{ diagnosis_id: 'c' }, { diagnosis_id: 'b' }, { diagnosis_id: 'a' }],
    }
    const ids = (record: JsonObject) =>
      (record.diagnoses as JsonObject[]).map((each) => each.diagnosis_id)
    expect(ids(merge(one, other))).toEqual(['a', 'b', 'x', 'c'])
    const first = structuredClone(one)
    mergeInto(first, structuredClone(other), { isStronger: true, conflicts: new Map() })
    expect(ids(first)).toEqual(['c', 'b', 'a', 'x'])
  })

  test('are found among many', () => {
    const files = Array.from({ length: 500 }, (_, i) => ({ file_id: `f${i}` }))
    const merged = merge(
      { index_files: files },
      { index_files: files.toReversed().map((each) => ({ ...each, x: 1 })) },
    )
    expect(merged.index_files).toEqual(files.map((each) => ({ ...each, x: 1 })))
  })
})

const leaf = fc.oneof(fc.constant(null), fc.nat(3), fc.constantFrom('a', 'b'), fc.boolean())
const diagnosis: fc.Arbitrary<JsonObject> = fc.record(
  {
    diagnosis_id: fc.constantFrom('s1', 's2', 's3'),
    morphology: leaf,
    treatments: fc.uniqueArray(
      fc.record(
        { treatment_id: fc.constantFrom('p1', 'p2'), weight: leaf },
        { requiredKeys: ['treatment_id'] },
      ),
      { selector: (treatment) => treatment.treatment_id, maxLength: 2 },
    ),
  },
  { requiredKeys: ['diagnosis_id'] },
)
const record: fc.Arbitrary<JsonObject> = fc.record(
  {
    state: leaf,
    sample_ids: fc.uniqueArray(fc.constantFrom('s1', 's2', 's3')),
    demographic: fc.record({ race: leaf, gender: leaf }, { requiredKeys: [] }),
    diagnoses: fc.uniqueArray(diagnosis, { selector: (each) => each.diagnosis_id, maxLength: 3 }),
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
          ((of.diagnoses ?? []) as JsonObject[]).map((each) => each.diagnosis_id)
        expect(new Set(ids(both))).toEqual(new Set([...ids(one), ...ids(other)]))
      }),
      { seed: 7 },
    )
  })
})
