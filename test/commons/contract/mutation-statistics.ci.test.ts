import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { buildMadeRelease } from '../../../fixtures/release/build-made.ts'
import { DOCUMENTS } from '../../../fixtures/release/make-release.ts'
import { planRelease } from '../../../fixtures/release/plan.ts'
import { SCALES } from '../../../fixtures/release/scale.ts'
import type { App } from '../../../server/http/compose.ts'
import { available } from '../../available.ts'
import { runPython } from '../../peers/run-peer.ts'
import { appOf } from '../search/support/app.ts'
import { type NaivePair, naiveCounts } from './support/naive-counts.ts'

// Counts are compared with those of the documents of a made release, read one by one; tests with scipy.

const SEED = 7
const plan = planRelease(SEED, SCALES.tiny)

interface CaseDoc {
  readonly case_id: string
  readonly available_variation_data?: readonly string[]
}

const CASES = [...DOCUMENTS.cases(plan)] as readonly object[] as readonly CaseDoc[]
const { pairs: PAIRS } = naiveCounts('tiny', SEED)

let folder = ''
let engine: Engine
let app: App
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-mutation-statistics-'))
  await buildMadeRelease({
    dataFolder: folder,
    scale: 'tiny',
    seed: SEED,
    executor: inlineExecutor,
  })
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  await engine.start()
  app = appOf(engine)
})
afterAll(async () => {
  await engine?.close()
  await rm(folder, { recursive: true })
})

async function ask<Answer>(path: string, body: object): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Answer
}

const CHANGES = {
  ssm: ({ ssm }: NaivePair) => ssm.length > 0,
  cnv: ({ cnv }: NaivePair) => cnv.length > 0,
  any: () => true,
} as const

/** Returns the ids of the cases that were tested for some kinds of changes. */
function testedFor(change: keyof typeof CHANGES): ReadonlySet<string> {
  const kinds = change === 'any' ? ['ssm', 'cnv'] : [change]
  const isTested = ({ available_variation_data: data = [] }: CaseDoc) =>
    kinds.every((kind) => data.includes(kind))
  return new Set(CASES.filter(isTested).map(({ case_id: id }) => id))
}

/** Returns the tested cases in which a gene is changed. */
function changedIn(gene: string, change: keyof typeof CHANGES): ReadonlySet<string> {
  const tested = testedFor(change)
  const own = PAIRS.filter((pair) => pair.gene === gene && CHANGES[change](pair))
  return new Set(own.map((pair) => pair.case).filter((id) => tested.has(id)))
}

const sharedBy = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  [...one].filter((id) => other.has(id)).length

interface Associations {
  readonly total: number
  readonly tested: number
  readonly genes: readonly { readonly gene_id: string; readonly cases: number }[]
  readonly pairs: readonly {
    readonly genes: readonly [number, number]
    readonly both: number
    readonly first_only: number
    readonly second_only: number
    readonly neither: number
    readonly tendency: string
    readonly log2_odds_ratio: number | null
    readonly p_value: number
    readonly q_value: number
  }[]
}

describe('pairs of genes', () => {
  test.each(Object.keys(CHANGES) as (keyof typeof CHANGES)[])(
    'by %s are those of the documents, tested as in scipy',
    async (change) => {
      const found = await ask<Associations>('/analysis/gene_associations', { change, gene_size: 9 })
      const tested = testedFor(change)
      expect([found.total, found.tested]).toEqual([CASES.length, tested.size])
      const genes = [...new Set(PAIRS.map(({ gene }) => gene))]
        .map((gene) => ({ gene, cases: changedIn(gene, change).size }))
        .filter(({ cases }) => cases > 0)
        .sort((a, b) => b.cases - a.cases || (a.gene < b.gene ? -1 : 1))
      const shown = found.genes.map(({ gene_id: gene, cases }) => ({ gene, cases }))
      expect(shown).toEqual(genes.slice(0, 9))
      expect(found.pairs).toHaveLength((shown.length * (shown.length - 1)) / 2)
      for (const pair of found.pairs) {
        const [first, second] = pair.genes.map((place) => changedIn(shown[place]!.gene, change))
        const both = sharedBy(first!, second!)
        expect([pair.both, pair.first_only, pair.second_only, pair.neither]).toEqual([
          both,
          first!.size - both,
          second!.size - both,
          tested.size - first!.size - second!.size + both,
        ])
      }
      if (!available.numpy) return
      const tables = found.pairs.map((pair) => [
        [pair.both, pair.first_only],
        [pair.second_only, pair.neither],
      ])
      const printed = await runPython(`
import json
from math import log2
from scipy.stats import fisher_exact
tables = json.loads('${JSON.stringify(tables)}')
p = [fisher_exact(t)[1] for t in tables]
odds = [None if 0 in t[0] + t[1] else log2(t[0][0] * t[1][1] / (t[0][1] * t[1][0])) for t in tables]
q = [min(1, min(len(p) * b / sum(a <= b for a in p) for b in p if b >= one)) for one in p]
print(json.dumps([p, q, odds]))`)
      const [p, q, odds] = JSON.parse(printed) as [number[], number[], (number | null)[]]
      for (const [i, pair] of found.pairs.entries()) {
        expect(pair.p_value).toBeCloseTo(p[i]!, 10)
        expect(pair.q_value).toBeCloseTo(q[i]!, 10)
        const excess = pair.both * pair.neither - pair.first_only * pair.second_only
        expect(pair.tendency).toBe(
          excess > 0 ? 'co-occurrence' : excess < 0 ? 'mutual exclusivity' : 'none',
        )
        if (odds[i] != null) expect(pair.log2_odds_ratio).toBeCloseTo(odds[i], 10)
      }
    },
  )

  test('are of the genes that are named, and of the cases that match', async () => {
    const named = [...new Set(PAIRS.map(({ gene }) => gene))].slice(0, 4)
    const own = CASES.slice(0, 30).map(({ case_id: id }) => id)
    const found = await ask<Associations>('/analysis/gene_associations', {
      gene_ids: [...named, named[0], 'ENSG_UNKNOWN'],
      filters: { op: 'in', content: { field: 'cases.case_id', value: own } },
    })
    expect(found.total).toBe(30)
    expect(found.genes.map(({ gene_id: id }) => id).toSorted()).toEqual(named.toSorted())
    for (const { gene_id: id, cases } of found.genes) {
      expect(cases).toBe(sharedBy(changedIn(id, 'ssm'), new Set(own)))
    }
  })

  test('are refused for more than 50 genes', async () => {
    const answer = await app.request('/analysis/gene_associations?gene_size=51')
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining('at most 50'),
    ])
  })
})

interface Enrichment {
  readonly groups: readonly { readonly cases: number; readonly tested: number }[]
  readonly overlaps: readonly object[]
  readonly genes_total: number
  readonly genes: readonly {
    readonly gene_id: string
    readonly counts: readonly number[]
    readonly shares: readonly (number | null)[]
    readonly test: {
      readonly p_value: number
      readonly q_value: number
      readonly effect: { readonly value: number } | null
    } | null
  }[]
}

const among = (cases: readonly CaseDoc[]) => ({
  op: 'in',
  content: { field: 'cases.case_id', value: cases.map(({ case_id: id }) => id) },
})

describe('enrichment', () => {
  test.each([
    [2, 'ssm'],
    [3, 'cnv'],
    [3, 'ssm'],
  ] as const)(
    'over %d groups by %s is that of the documents, tested as in scipy',
    async (width, change) => {
      const groups = Array.from({ length: width }, (_, i) =>
        CASES.filter((_, place) => place % width === i),
      )
      const filters = groups.map(among)
      const found = await ask<Enrichment>('/analysis/enrichment', { filters, change, size: 1000 })
      const tested = testedFor(change)
      const own = groups.map(
        (cases) => new Set(cases.map(({ case_id: id }) => id).filter((id) => tested.has(id))),
      )
      expect(found.groups).toEqual(
        groups.map(({ length }, i) => ({ cases: length, tested: own[i]!.size })),
      )
      const genes = [...new Set(PAIRS.map(({ gene }) => gene))]
        .map((gene) => [gene, own.map((ids) => sharedBy(changedIn(gene, change), ids))] as const)
        .filter(([, counts]) => counts.some((count) => count > 0))
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
      const listed = found.genes.map(({ gene_id: id, counts }) => [id, counts] as const)
      expect(listed.toSorted(([one], [other]) => (one < other ? -1 : 1))).toEqual(genes)
      expect(found.genes_total).toBe(genes.length)
      const [first] = found.genes
      expect(first?.shares).toEqual(first?.counts.map((count, i) => count / own[i]!.size))
      if (!available.numpy) return
      const tables = found.genes.map(({ counts }) =>
        counts.map((count, i) => [count, own[i]!.size - count]),
      )
      const printed = await runPython(`
import json
from scipy.stats import chi2_contingency, fisher_exact
tables = json.loads('${JSON.stringify(tables)}')
p = [fisher_exact(t)[1] if len(t) == 2 else chi2_contingency(t, correction=False)[1] for t in tables]
q = [min(1, min(len(p) * b / sum(a <= b * (1 + 1e-9) for a in p) for b in p if b >= one * (1 - 1e-9))) for one in p]
print(json.dumps([p, q]))`)
      const [p, q] = JSON.parse(printed) as [number[], number[]]
      for (const [i, { test }] of found.genes.entries()) {
        expect(test?.p_value).toBeCloseTo(p[i]!, 10)
        expect(test?.q_value).toBeCloseTo(q[i]!, 10)
      }
      expect(p).toEqual(p.toSorted((one, other) => one - other))
    },
  )

  test('counts only the named copy-number changes, and pages through the genes', async () => {
    const all = { filters: [among(CASES.slice(0, 30)), among(CASES.slice(30))], change: 'cnv' }
    const whole = await ask<Enrichment>('/analysis/enrichment', { ...all, size: 1000 })
    const names = {
      ...all,
      size: 1000,
      copy_numbers: 'GAIN,amplification,Loss,Homozygous Deletion',
    }
    const every = await ask<Enrichment>('/analysis/enrichment', names)
    const some = await ask<Enrichment>('/analysis/enrichment', { ...names, copy_numbers: 'gain' })
    const sum = ({ genes }: Enrichment) =>
      genes.flatMap(({ counts }) => counts).reduce((total, count) => total + count, 0)
    expect(sum(some)).toBeGreaterThan(0)
    expect(sum(some)).toBeLessThan(sum(every))
    expect(sum(every)).toBeLessThanOrEqual(sum(whole))
    const page = await ask<Enrichment>('/analysis/enrichment', { ...all, from: 2, size: 3 })
    expect(page.genes).toEqual(whole.genes.slice(2, 5))
    const frequent = await ask<Enrichment>('/analysis/enrichment', { ...all, min_cases: 4 })
    expect(frequent.genes_total).toBe(
      whole.genes.filter(({ counts }) => counts[0]! + counts[1]! >= 4).length,
    )
  })

  test('is refused for a copy-number change that the release does not have', async () => {
    const query = '?change=cnv&copy_numbers=Gain,Doubling'
    const answer = await app.request(`/analysis/enrichment${query}`)
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringMatching(/Doubling.*; it has .*Gain/),
    ])
  })

  test('names groups that share cases, and does not test them', async () => {
    const filters = [among(CASES.slice(0, 30)), {}]
    const { overlaps, genes } = await ask<Enrichment>('/analysis/enrichment', { filters })
    expect(overlaps).toEqual([{ groups: [0, 1], cases: 30 }])
    expect(genes.length).toBeGreaterThan(5)
    expect(new Set(genes.map(({ test }) => test))).toEqual(new Set([null]))
  })
})

type Json = Readonly<Record<string, unknown>>

const read = (name: 'cnvs' | 'cnv_occurrences' | 'ssms' | 'ssm_occurrences' | 'cases') =>
  [...DOCUMENTS[name](plan)] as readonly object[] as readonly Json[]

const projectOf = new Map(
  read('cases').map((one) => [
    String(one.case_id),
    String((one.project as Json | undefined)?.project_id),
  ]),
)

/** Returns the number of ids in each project, by the name of the project. */
function countByProject(ids: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const id of ids) {
    const project = projectOf.get(id) ?? ''
    counts.set(project, (counts.get(project) ?? 0) + 1)
  }
  return counts
}

describe('copy numbers of a gene', () => {
  interface CopyNumbers {
    readonly total: number
    readonly tested: number
    readonly copy_numbers: readonly string[]
    readonly projects: readonly {
      readonly project_id: string
      readonly tested: number
      readonly counts: readonly number[]
      readonly unchanged: number
    }[]
  }

  test('are counted over the tested cases of each project, as in the documents', async () => {
    const tested = testedFor('cnv')
    const changeOf = new Map(
      read('cnvs').map((one) => [one.cnv_id, one.cnv_change_5_category ?? one.cnv_change]),
    )
    const genes = [...new Set(PAIRS.filter(CHANGES.cnv).map(({ gene }) => gene))]
    expect(genes.length).toBeGreaterThan(5)
    for (const gene of genes) {
      const found = await ask<CopyNumbers>('/analysis/gene_copy_numbers', { gene_id: gene })
      const own = PAIRS.filter((pair) => pair.gene === gene && tested.has(pair.case)).filter(
        CHANGES.cnv,
      )
      const names = [...new Set(own.flatMap(({ cnv }) => cnv.map((id) => changeOf.get(id))))]
      expect([found.total, found.tested]).toEqual([CASES.length, tested.size])
      expect(found.copy_numbers).toEqual(names.toSorted())
      const byProject = countByProject(tested)
      expect(found.projects.map(({ project_id: id }) => id)).toEqual(
        [...byProject.keys()].toSorted(),
      )
      const changed = countByProject(own.map((pair) => pair.case))
      for (const { project_id: id, tested: count, counts, unchanged } of found.projects) {
        expect(count).toBe(byProject.get(id))
        expect(unchanged).toBe(count - (changed.get(id) ?? 0))
        const wanted = found.copy_numbers.map((name) => {
          const with_ = own.filter(({ cnv }) => cnv.some((one) => changeOf.get(one) === name))
          return countByProject(with_.map((pair) => pair.case)).get(id) ?? 0
        })
        expect(counts).toEqual(wanted)
      }
    }
  })

  test('need a gene that exists', async () => {
    const asked = ['', '?gene_id=ENSG_UNKNOWN'].map((query) =>
      app.request(`/analysis/gene_copy_numbers${query}`),
    )
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([400, 404])
  })
})

describe('mutation burden', () => {
  interface Burden {
    readonly total: number
    readonly tested: number
    readonly classes: readonly string[]
    readonly counts: readonly number[]
    readonly median: number
    readonly lower_quartile: number
    readonly upper_quartile: number
    readonly projects: readonly {
      readonly project_id: string
      readonly tested: number
      readonly median: number
    }[]
    readonly cases: readonly {
      readonly case_id: string
      readonly project_id: string
      readonly mutations: number
      readonly counts: readonly number[]
    }[]
  }

  /** Pairs of substitutions of both strands that are one class. */
  const STRANDS = ['C>A G>T', 'C>G G>C', 'C>T G>A', 'T>A A>T', 'T>C A>G', 'T>G A>C']

  /** Returns the mutations of each tested case, as reference and tumor allele. */
  function mutationsByCase(): ReadonlyMap<string, readonly string[]> {
    const allelesOf = new Map(
      read('ssms').map((one) => [one.ssm_id, `${one.reference_allele}>${one.tumor_allele}`]),
    )
    const found = new Map<string, string[]>([...testedFor('ssm')].map((id) => [id, []]))
    for (const { case: where, ssm } of read('ssm_occurrences')) {
      const alleles = allelesOf.get((ssm as Json).ssm_id) ?? ''
      found.get(String((where as Json).case_id))?.push(alleles)
    }
    return found
  }

  test('is that of the documents, by case and class', async () => {
    const found = await ask<Burden>('/analysis/mutation_burden', { size: 1000 })
    const wanted = mutationsByCase()
    expect([found.total, found.tested]).toEqual([CASES.length, wanted.size])
    const order = [...wanted].sort(
      ([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1),
    )
    expect(found.cases.map(({ case_id: id, mutations }) => [id, mutations])).toEqual(
      order.map(([id, { length }]) => [id, length]),
    )
    for (const { case_id: id, counts, mutations, project_id: project } of found.cases) {
      expect(project).toBe(projectOf.get(id))
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(mutations)
      const own = wanted.get(id) ?? []
      const substitutions = STRANDS.map(
        (strands) => own.filter((alleles) => strands.split(' ').includes(alleles)).length,
      )
      expect(counts.slice(0, 6)).toEqual(substitutions)
    }
    expect(found.counts).toEqual(
      found.classes.map((_, i) => found.cases.reduce((sum, { counts }) => sum + counts[i]!, 0)),
    )
    expect(found.counts.filter((count) => count > 0).length).toBeGreaterThan(3)
    if (!available.numpy) return
    const sizes = order.map(([, { length }]) => length)
    const printed = await runPython(
      `import numpy as np; print(*np.quantile([${sizes.join(',')}], [0.25, 0.5, 0.75]))`,
    )
    const quartiles = printed.trim().split(' ').map(Number)
    expect([found.lower_quartile, found.median, found.upper_quartile]).toEqual(quartiles)
    const projects = countByProject(wanted.keys())
    expect(found.projects.map(({ project_id: id, tested }) => [id, tested])).toEqual(
      [...projects].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    )
  })

  interface InContext {
    readonly contexts: readonly string[]
    readonly context_counts: readonly number[]
    readonly unknown_contexts: number
    readonly cases: readonly { readonly context_counts: readonly number[] }[]
  }

  test('counts substitutions by the bases around them', async () => {
    const given = { size: 1000, contexts: true }
    const found = await ask<InContext>('/analysis/mutation_burden', given)
    const whole = await ask<Burden>('/analysis/mutation_burden', { size: 1000 })
    // The other strand of a context is read backwards, with the complement of each base.
    const other = (bases: string) =>
      Array.from(bases, (base) => 'TGCA'['ACGT'.indexOf(base)])
        .toReversed()
        .join('')
    const nameOf = (around: string, from: string, to: string): string =>
      'CT'.includes(from)
        ? `${around[0]}[${from}>${to}]${around[2]}`
        : nameOf(other(around), other(from), other(to))
    const nameOfSsm = new Map(
      read('ssms').map((one) => [
        one.ssm_id,
        one.reference_context &&
          nameOf(`${one.reference_context}`, `${one.reference_allele}`, `${one.tumor_allele}`),
      ]),
    )
    const tested = testedFor('ssm')
    const names = read('ssm_occurrences')
      .filter((one) => tested.has(String((one.case as Json).case_id)))
      .flatMap((one) => nameOfSsm.get((one.ssm as Json).ssm_id) ?? [])
    expect(found.context_counts).toEqual(
      found.contexts.map((name) => names.filter((one) => one === name).length),
    )
    expect(names.length).toBeGreaterThan(100)
    expect(found.unknown_contexts).toBe(0)
    expect(found.contexts).toHaveLength(96)
    const perCase = found.cases.map(({ context_counts: counts }) =>
      Array.from({ length: 6 }, (_, i) =>
        counts.slice(16 * i, 16 * (i + 1)).reduce((sum, count) => sum + count, 0),
      ),
    )
    expect(perCase).toEqual(whole.cases.map(({ counts }) => counts.slice(0, 6)))
  })

  test('is paged, and of the cases that match', async () => {
    const path = '/analysis/mutation_burden'
    const whole = await ask<Burden>(path, { size: 1000 })
    const page = await ask<Burden>(path, { from: 3, size: 4 })
    expect(page).toEqual({ ...whole, cases: whole.cases.slice(3, 7) })
    const own = CASES.slice(0, 20)
    const some = await ask<Burden>(path, { filters: among(own), size: 1000 })
    const ids = new Set(own.map(({ case_id: id }) => id))
    expect(some.cases).toEqual(whole.cases.filter(({ case_id: id }) => ids.has(id)))
    expect((await app.request(`${path}?size=10001`)).status).toBe(400)
  })
})

describe('variables of genes', () => {
  interface Related {
    readonly known: number
    readonly x_values?: readonly string[]
    readonly counts?: readonly (readonly number[])[]
    readonly boxes?: readonly { readonly value: string; readonly cases: number }[]
  }

  test('need a gene that exists', async () => {
    const answer = await app.request('/analysis/variables?x=burden&y=ssm:ENSG_UNKNOWN')
    expect(answer.status).toBe(404)
  })

  test('are whether they are changed in tested cases, and the burden', async () => {
    const tested = testedFor('ssm')
    const [one = '', other = ''] = [...new Set(PAIRS.filter(CHANGES.ssm).map(({ gene }) => gene))]
    const found = await ask<Related>('/analysis/variables', { x: `ssm:${one}`, y: `ssm:${other}` })
    const [first, second] = [changedIn(one, 'ssm'), changedIn(other, 'ssm')]
    const both = sharedBy(first, second)
    expect(found.counts).toEqual([
      [both, first.size - both],
      [second.size - both, tested.size - first.size - second.size + both],
    ])
    const boxes = await ask<Related>('/analysis/variables', { x: `cnv:${one}`, y: 'burden' })
    expect(boxes.known).toBe(sharedBy(tested, testedFor('cnv')))
    expect(boxes.boxes?.map(({ value }) => value)).toEqual(['changed', 'unchanged'])
  })
})
