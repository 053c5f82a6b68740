import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { depth } from '../../../../test/depth.ts'
import type { Bare } from '../../datasets/case-gene.ts'
import { builtRelease } from '../../query/support/built-release.ts'
import type { Json } from '../../query/support/memory-release.ts'
import {
  FIELDS,
  hasGene,
  mutatedCommons,
  type NaivePair,
  naivePairs,
  seenFrom,
} from '../../query/support/mutated-commons.ts'
import { Oracle, type Written } from '../../query/support/oracle.ts'
import { Dice, randomFilter } from '../../query/support/random-commons.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { Release } from '../../release/release.ts'
import { type GivenFilters, readPairConditions } from './conditions.ts'
import { keysOfTop, topOf } from './top.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-top-'))
})
afterAll(() => rm(folder, { recursive: true }))

const ID = { case: 'case_id', gene: 'gene_id' } as const

type Documents = ReturnType<typeof mutatedCommons>
type Scores = readonly (readonly [id: string, score: number])[]

async function topIn(release: Release, documents: Documents, by: Bare, given: GivenFilters) {
  const query = { by, ...(await readPairConditions(given, by)), from: 0, size: 1e6 }
  const { rows, scores, total } = topOf(query, arraysOf(await release.load(keysOfTop(query))))
  expect(total).toBe(rows.length)
  const ids = documents[`${by}s`].map((one) => String(one[ID[by]])).sort()
  return Array.from(rows, (row, i) => [ids[row], scores[i]] as const)
}

/** Reference implementation. Fields have the names that they have in pairs. */
function naiveTop(
  documents: Documents,
  by: Bare,
  written: Written | undefined,
  cohort?: ReadonlySet<string>,
): Scores {
  const pairs = naivePairs(documents)
  const { view, documents: seen } = seenFrom('pair', documents)
  const passing = new Oracle(view, seen).rows(written).map((row) => pairs[row] as NaivePair)
  const leaves = written ? leavesIn(written) : []
  const isOnMutations = leaves.some(({ field }) => /^(ssm|cnv)\./.test(field))
  const records = recordsPassing(documents, by, written)
  const scores = new Map<string, number>()
  for (const pair of passing) {
    const id = String(pair[by][ID[by]])
    if (cohort && !cohort.has(String(pair.case.case_id))) continue
    if (!hasGene(pair) || (!isOnMutations && pair.ssm.length === 0)) continue
    if (leaves.some(({ op }) => op === 'excludeifany') && !records.has(id)) continue
    scores.set(id, (scores.get(id) ?? 0) + 1)
  }
  return [...scores].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
}

function recordsPassing(documents: Documents, by: Bare, written: Written | undefined) {
  const { view, documents: seen } = seenFrom(by, documents)
  const other = by === 'case' ? 'gene' : 'case'
  const called = (field: string) => {
    if (field.startsWith(`${by}.`)) return field.slice(by.length + 1)
    return field.startsWith(`${other}.`) ? field : `${other}.${field}`
  }
  const rows = new Oracle(view, seen).rows(written && renamed(written, called))
  return new Set(rows.map((row) => String((seen[row] as Json)[ID[by]])))
}

function leavesIn(written: Written): { readonly op: string; readonly field: string }[] {
  return 'field' in written.content
    ? [{ op: written.op, field: written.content.field }]
    : written.content.flatMap(leavesIn)
}

function renamed(written: Written, called: (field: string) => string): Written {
  const { op, content } = written
  if ('field' in content) return { op, content: { ...content, field: called(content.field) } }
  return { op: op as 'and', content: content.map((part) => renamed(part, called)) }
}

/** Returns one of the names by which a request may refer to a field of a pair, at random. */
function alias(dice: Dice, by: Bare, field: string): string {
  const [part = '', ...names] = field.split('.')
  const rest = names.join('.')
  if (part === by) return dice.of([rest, field, `${part}s.${rest}`])
  const other = by === 'case' ? 'gene' : 'case'
  if (part === other) return dice.of([field, `${part}s.${rest}`, `${by}s.${part}.${rest}`])
  return dice.of([
    field,
    `${part}s.${rest}`,
    `${other}.${part}.${rest}`,
    `${other}s.${part}s.${rest}`,
  ])
}

describe.each(['case', 'gene'] as const)('the top of every %s', (by) => {
  test('is what counting over nested documents gives, by any of the names', async () => {
    for (let seed = 1; seed <= depth(2, 5); seed++) {
      const dice = new Dice(seed)
      const documents = mutatedCommons(dice, 4 + dice.below(20))
      const release = await builtRelease(folder, documents, `${by}-${seed}`)
      for (let i = 0; i < depth(50, 80); i++) {
        const written = i === 0 ? undefined : randomFilter(dice, FIELDS.pair)
        const filters = written && renamed(written, (field) => alias(dice, by, field))
        const found = await topIn(release, documents, by, { filters })
        const seen = { seed, i, filters: JSON.stringify(filters), found }
        expect(seen).toEqual({ ...seen, found: naiveTop(documents, by, written) })
      }
      await release.close()
    }
  })

  test('asks a cohort filter besides', async () => {
    const dice = new Dice(11)
    const documents = mutatedCommons(dice, 25)
    const release = await builtRelease(folder, documents, `${by}-cohort`)
    const own = FIELDS.case.filter((field) => !field.startsWith('gene.'))
    for (let i = 0; i < depth(30, 60); i++) {
      const written = randomFilter(dice, FIELDS.pair, 1)
      const cohort = randomFilter(dice, own, 2)
      const found = await topIn(release, documents, by, {
        filters: renamed(written, (field) => alias(dice, by, field)),
        caseFilters: renamed(cohort, (field) => alias(dice, 'case', `case.${field}`)),
      })
      const ofCase = renamed(cohort, (field) => `case.${field}`)
      const chosen = recordsPassing(documents, 'case', ofCase)
      const seen = { i, asked: JSON.stringify([written, cohort]), found }
      expect(seen).toEqual({ ...seen, found: naiveTop(documents, by, written, chosen) })
    }
    await release.close()
  })

  test('of a condition and of its opposite add up to the top of all', async () => {
    const dice = new Dice(21)
    const documents = mutatedCommons(dice, 25)
    const release = await builtRelease(folder, documents, `${by}-complement`)
    const all = new Map(await topIn(release, documents, by, {}))
    // Fields of which a pair has at most one value, so that `in` and `exclude` are opposites.
    for (const field of [
      'case.disease_type',
      'case.project.project_id',
      'gene.symbol',
      'gene.biotype',
    ]) {
      for (const value of ['alpha', 'beta', 'P-1', 'lincRNA', 'nowhere']) {
        const sum = new Map<string | undefined, number>()
        for (const op of ['in', 'exclude']) {
          const filters = { op, content: { field, value: [value] } }
          for (const [id, score = 0] of await topIn(release, documents, by, { filters })) {
            sum.set(id, (sum.get(id) ?? 0) + score)
          }
        }
        expect({ field, value, sum }).toEqual({ field, value, sum: all })
      }
    }
    await release.close()
  })

  test('does not hang on the order of mutations, occurrences and consequences', async () => {
    const dice = new Dice(31)
    const documents = mutatedCommons(dice, 25)
    const other = relabelled(dice, documents)
    const one = await builtRelease(folder, documents, `${by}-one`)
    const two = await builtRelease(folder, other, `${by}-two`)
    // Excludes ids of mutations, which differ between the two sets of documents.
    const fields = FIELDS.pair.filter((field) => !/^(ssm|cnv)\.(ssm|cnv)_id$/.test(field))
    for (let i = 0; i < depth(30, 60); i++) {
      const filters = i === 0 ? undefined : randomFilter(dice, fields)
      const found = await topIn(one, documents, by, { filters })
      expect(await topIn(two, other, by, { filters })).toEqual(found)
    }
    await one.close()
    await two.close()
  })
})

function relabelled(dice: Dice, documents: Documents): Documents {
  const shuffled = <T>(list: readonly T[]): T[] =>
    list
      .map((one) => ({ one, place: dice.next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ one }) => one)
  const changed: Partial<Record<keyof Documents, readonly Json[]>> = { ...documents }
  for (const by of ['ssm', 'cnv'] as const) {
    const ids = documents[`${by}s`].map((one) => String(one[`${by}_id`]))
    const names = new Map(shuffled(ids).map((id, i) => [id, `x-${i}`]))
    changed[`${by}s`] = documents[`${by}s`].map((one) => ({
      ...one,
      [`${by}_id`]: names.get(String(one[`${by}_id`])),
      ...(Array.isArray(one.consequence) && { consequence: shuffled(one.consequence) }),
    }))
    const occurrences = shuffled(documents[`${by}_occurrences`])
    changed[`${by}_occurrences`] = occurrences.map((one, i) => {
      const named = one[by] as Json
      const id = names.get(String(named[`${by}_id`])) ?? 'gone'
      const own = { [`${by}_occurrence_id`]: `y-${String(i).padStart(5, '0')}` }
      return { ...one, ...own, [by]: { ...named, [`${by}_id`]: id } }
    })
  }
  return changed as Documents
}

test('pages are extents of the whole', async () => {
  const documents = mutatedCommons(new Dice(41), 30)
  const release = await builtRelease(folder, documents, 'pages')
  const whole = await topIn(release, documents, 'case', {})
  const ids = documents.cases.map((one) => String(one.case_id)).sort()
  expect(whole.length).toBeGreaterThan(10)
  for (const size of [0, 1, 3, 7, 100]) {
    for (let from = 0; from <= whole.length + 2; from += Math.max(size, 1)) {
      const query = { by: 'case', withSsm: true, from, size } as const
      const top = topOf(query, arraysOf(await release.load(keysOfTop(query))))
      expect(top.total).toBe(whole.length)
      const page = Array.from(top.rows, (row, i) => [ids[row], top.scores[i]])
      expect(page).toEqual(whole.slice(from, from + size))
    }
  }
  await release.close()
})
