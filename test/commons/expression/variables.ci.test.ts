import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ABSENT } from '../../../engine/commons/analysis/expression/matrix-format.ts'
import { caseId, geneId } from '../../../engine/commons/analysis/expression/support/made-matrix.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import type { App } from '../../../server/http/compose.ts'
import { available } from '../../available.ts'
import { runR } from '../../peers/run-peer.ts'
import { appOf } from '../search/support/app.ts'
import { type ExpressionWorld, openExpressionWorld } from './support/expression-world.ts'
import { writeValues } from './support/written-values.ts'

// Relates the expression of genes to other variables of the same cases over HTTP. R gets the stored values and the
// fields, and makes the same tests.

const random = randomFrom(44)
/** The last cases have no column of expression, and the first column has no case. */
const [CASES, COLUMNS, GENES] = [90, 80, 4]
const SITES = ['brain', 'kidney', 'lung'] as const
const DAYS = Array.from({ length: CASES }, () =>
  random.chance(0.1) ? undefined : random.below(3000),
)
const siteOf = (i: number) => SITES[i % SITES.length] ?? 'brain'
const CASE_LIST = Array.from({ length: CASES }, (_, i) => ({
  case_id: caseId(i + 1),
  submitter_id: `CASE-${i}`,
  primary_site: siteOf(i),
  demographic: {
    vital_status: 'Dead',
    ...(DAYS[i] !== undefined && { days_to_death: DAYS[i] }),
  },
}))
const ROWS = Array.from({ length: GENES }, (_, gene) => ({
  geneId: geneId(gene),
  symbol: `S${gene}`,
  values: Uint32Array.from({ length: COLUMNS }, (__, column) =>
    random.chance(0.1)
      ? ABSENT
      : Math.round(10_000 * 2 ** (random.normal(5, 1) + (siteOf(column - 1) === 'lung' ? 1 : 0))),
  ),
}))
const MADE = {
  kind: 'fixed',
  rows: ROWS,
  cases: Array.from({ length: COLUMNS }, (_, column) => ({ caseId: caseId(column) })),
} as const

const DEATH = 'demographic.days_to_death'
const expressionOf = (...genes: readonly number[]) => `expression:${genes.map(geneId).join()}`

let folder = ''
let world: ExpressionWorld
let app: App
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-variables-'))
  world = await openExpressionWorld({ cases: CASE_LIST }, MADE)
  app = appOf(world.engine)
})
afterAll(async () => {
  await world?.close()
  await rm(folder, { recursive: true, force: true })
})

interface Related {
  readonly total: number
  readonly known: number
  readonly kind: string
  readonly points: readonly { readonly case_id: string; readonly x: number; readonly y: number }[]
  readonly pearson: { readonly coefficient: number; readonly p_value: number }
  readonly spearman: { readonly coefficient: number; readonly p_value: number }
  readonly boxes: readonly {
    readonly value: string
    readonly cases: number
    readonly median: number
  }[]
  readonly test: { readonly method: string; readonly statistic: number; readonly p_value: number }
}

const ask = (query: object) =>
  app.request('/analysis/variables', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(query),
  })

async function related(query: object): Promise<Related> {
  const answer = await ask(query)
  expect([answer.status, query]).toEqual([200, query])
  return (await answer.json()) as Related
}

/** Runs a script of R that has `x`, log2(value + 1) by gene and case with a record, and `days` and `site` of these cases. */
async function printedBy(script: string): Promise<readonly number[]> {
  const args = await writeValues(join(folder, 'values'), MADE)
  const fields = Array.from(
    { length: COLUMNS - 1 },
    (_, i) => `${DAYS[i] ?? 'NA'},${siteOf(i)}\n`,
  ).join('')
  await writeFile(join(folder, 'fields.csv'), `days,site\n${fields}`)
  const printed = await runR(
    `
    a <- commandArgs(TRUE); genes <- as.integer(a[2]); n <- as.integer(a[3])
    v <- matrix(readBin(a[1], "double", genes * n), genes, n, byrow = TRUE); x <- log2(v + 1)[, -1]
    d <- read.csv(a[4]); days <- d$days; site <- factor(d$site)
    show <- function(...) cat(sprintf("%.17g", c(...)), "\\n")
    ${script}`,
    [...args, join(folder, 'fields.csv')],
  )
  return printed.trim().split(/\s+/).map(Number)
}

function expectNear(found: readonly number[], wanted: readonly number[]): void {
  expect(found).toHaveLength(wanted.length)
  for (const [i, value] of found.entries()) {
    const expected = wanted[i] ?? Number.NaN
    expect(Math.abs(value - expected), `${found} instead of ${wanted}`).toBeLessThanOrEqual(
      1e-9 * Math.abs(expected),
    )
  }
}

describe.skipIf(!available.rscript)('the expression of genes', () => {
  test('and a number are points, correlated as in R', async () => {
    const found = await related({ x: expressionOf(0), y: DEATH })
    const [known = 0, ...wanted] = await printedBy(`
      k <- !is.nan(x[1, ]) & !is.na(days); e <- x[1, k]; t <- days[k]
      p <- cor.test(e, t); s <- suppressWarnings(cor.test(e, t, method = "spearman", exact = FALSE))
      show(sum(k), p$estimate, p$p.value, s$estimate, s$p.value, e)`)
    const { pearson, spearman } = found
    expect([found.kind, found.total, found.known]).toEqual(['scatter', CASES, known])
    expectNear(
      [
        ...[pearson.coefficient, pearson.p_value, spearman.coefficient, spearman.p_value],
        ...found.points.map(({ x }) => x),
      ],
      wanted,
    )
  })

  test('of a set is the mean of those with a value, and its boxes are tested as in R', async () => {
    const found = await related({ x: 'primary_site', y: expressionOf(0, 1, 2, 3) })
    const [known = 0, ...wanted] = await printedBy(`
      m <- apply(x, 2, mean, na.rm = TRUE); k <- !is.nan(m); test <- kruskal.test(m[k], site[k])
      show(sum(k), test$statistic, test$p.value, tapply(m[k], site[k], median))`)
    expect([found.kind, found.known]).toEqual(['boxes', known])
    expect(found.boxes.map(({ value }) => value)).toEqual([...SITES])
    const { statistic, p_value } = found.test
    expectNear([statistic, p_value, ...found.boxes.map(({ median }) => median)], wanted)
  })

  test('is that of the cases of the filters alone', async () => {
    const filters = { op: 'in', content: { field: 'primary_site', value: ['lung'] } }
    const found = await related({ x: expressionOf(0), y: expressionOf(1), filters })
    const [known = 0, r = 0] = await printedBy(`
      k <- !is.nan(x[1, ]) & !is.nan(x[2, ]) & site == "lung"; show(sum(k), cor(x[1, k], x[2, k]))`)
    expect([found.total, found.known]).toEqual([CASES / 3, known])
    expectNear([found.pearson.coefficient], [r])
  })
})

test.each([
  ['an unknown gene', [77], `gene "${geneId(77)}" has no expression values`],
  ['unknown genes', [77, 78], 'none of the 2 genes has expression values'],
  ['no gene', [], '"expression:" is not a field of a case'],
  ['too many genes', [...Array(501).keys()], 'expression of 501 genes is requested'],
])('%s is refused', async (_, genes, message) => {
  const answer = await ask({ x: expressionOf(...genes), y: DEATH })
  const { message: told } = (await answer.json()) as { readonly message: string }
  expect([answer.status, told]).toEqual([400, expect.stringContaining(message)])
})

test('the most genes are read', async () => {
  const found = await related({ x: expressionOf(...Array(500).keys()), y: DEATH })
  expect(found.known).toBeGreaterThan(50)
})

test('a GET, whose answer a cache between may keep, does not read an expression', async () => {
  const query = new URLSearchParams({ x: DEATH, y: expressionOf(0) })
  const answer = await app.request(`/analysis/variables?${query}`)
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining(
      'y is an expression, which may be controlled; send the parameters by POST',
    ),
  ])
})
