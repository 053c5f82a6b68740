import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ABSENT } from '../../../engine/commons/analysis/expression/matrix-format.ts'
import { caseId, geneId } from '../../../engine/commons/analysis/expression/support/made-matrix.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { runR } from '../../peers/run-peer.ts'
import { openExpressionWorld } from './support/expression-world.ts'
import { writeValues } from './support/written-values.ts'

// Compares tests of genes with R's results for the same numbers.

const READ = `
a <- commandArgs(TRUE); genes <- as.integer(a[2]); n <- as.integer(a[3]); k <- as.integer(a[4])
v <- matrix(readBin(a[1], "double", genes * n), genes, n, byrow = TRUE); x <- log2(v + 1)
show <- function(...) cat(sprintf("%.17g", c(...)), "\\n")
`
const DIFFERENCES = `${READ}
known <- function(z) z[!is.nan(z)]
results <- lapply(1:genes, function(i) {
  f <- known(v[i, 1:k]); s <- known(v[i, (k + 1):n])
  w <- suppressWarnings(wilcox.test(f, s))
  c(w$statistic, w$p.value, mean(log2(f + 1)) - mean(log2(s + 1)), median(log2(f + 1)), median(log2(s + 1)))
})
adjusted <- p.adjust(sapply(results, function(r) r[2]), "BH")
for (i in 1:genes) show(results[[i]], adjusted[i])
`
const CORRELATIONS = `${READ}
results <- lapply(2:genes, function(i) {
  p <- suppressWarnings(cor.test(x[1, ], x[i, ]))
  s <- suppressWarnings(cor.test(x[1, ], x[i, ], method = "spearman", exact = FALSE))
  c(p$estimate, p$p.value, s$estimate, s$p.value)
})
of <- function(j) p.adjust(sapply(results, function(r) r[j]), "BH")
p <- of(2); s <- of(4)
for (i in seq_along(results)) show(results[[i]], p[i], s[i])
`

const SCORES = `${READ}
mean_or_nan <- function(z) apply(z, 2, mean, na.rm = TRUE)
scaled <- t(scale(t(x)))
scaled <- scaled[apply(x, 1, function(z) isTRUE(sd(z, na.rm = TRUE) > 0)), ]
show(mean_or_nan(x)); show(mean_or_nan(scaled))
`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-r-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/**
 * Makes genes of which some differ between the first cases and the others, and some correlate with the first
 * gene.
 */
function makeRows(kind: 'fixed' | 'double', cases: number, first: number) {
  const random = randomFrom()
  random.reseed(cases)
  const shared = Array.from({ length: cases }, () => random.normal(0, 1))
  const rows = Array.from({ length: 120 }, (_, gene) => {
    const numbers = Array.from({ length: cases }, (_, place) => {
      if (gene % 7 === 3 && random.chance(0.1)) return Number.NaN
      // Many zeros give ties.
      if (gene % 5 === 4 && random.chance(0.4)) return 0
      const shift = gene % 3 === 0 && place < first ? gene / 40 : 0
      const common = gene % 2 === 0 ? (shared[place] ?? 0) * (gene % 4 === 0 ? 1 : -2) : 0
      const value = 2 ** (4 + random.normal(0, 1) + shift + common)
      return kind === 'fixed' ? Math.round(value * 10_000) : value
    })
    const values =
      kind === 'fixed'
        ? Uint32Array.from(numbers, (value) => (Number.isNaN(value) ? ABSENT : value))
        : Float64Array.from(numbers)
    return { geneId: geneId(gene), symbol: null, values }
  })
  return { kind, rows, cases: Array.from({ length: cases }, (_, i) => ({ caseId: caseId(i) })) }
}

type Made = ReturnType<typeof makeRows>

/** Returns the lines of numbers that an R script prints for the matrix. */
async function printedBy(script: string, made: Made, first: number): Promise<number[][]> {
  const values = await writeValues(join(folder, 'values'), made)
  const printed = await runR(script, [...values, String(first)])
  return printed
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(' ').map(Number))
}

function expectClose(found: readonly (number | null)[], expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length)
  for (const [i, value] of found.entries()) {
    const wanted = expected[i] ?? Number.NaN
    expect(
      Math.abs((value ?? Number.NaN) - wanted),
      `${found} instead of ${expected}`,
    ).toBeLessThanOrEqual(1e-9 * Math.abs(wanted) + 1e-13 * (i === 0 ? 1 : 0) + 1e-300)
  }
}

type Answered = Readonly<Record<string, number | null>> & { readonly gene_id: string }

// Covers exact tests of small and of unequal groups, and the normal approximation.
describe.skipIf(!available.rscript).each([
  ['fixed', 24, 9],
  ['double', 90, 42],
  ['fixed', 300, 60],
  ['double', 1200, 700],
] as const)('%s values of %d cases, %d of them in the first group', (kind, cases, first) => {
  test('differences are those of wilcox.test and p.adjust', async () => {
    const made = makeRows(kind, cases, first)
    const world = await openExpressionWorld({}, made)
    const caseIds = made.cases.slice(0, first).map((one) => one.caseId)
    const request = { caseIds, format: 'json', token: undefined } as const
    const { body } = await world.engine.commons.expression.differential(request)
    const { genes } = JSON.parse(await text(body)) as { readonly genes: readonly Answered[] }
    await world.close()
    const expected = await printedBy(DIFFERENCES, made, first)
    expect(genes).toHaveLength(made.rows.length)
    for (const gene of genes) {
      const { statistic = null, p_value = null, log2_fold_change: change = null } = gene
      const { log2_uqfpkm_median: median = null, other_log2_uqfpkm_median: other = null } = gene
      const [w = 0, p = 0, difference = 0, ...more] = expected[Number(gene.gene_id.slice(4))] ?? []
      expect(statistic).toBe(w)
      expectClose([change], [difference])
      expectClose([p_value, median, other, gene.adjusted_p_value ?? null], [p, ...more])
    }
    const values = genes.map(({ p_value = null }) => p_value ?? 2)
    expect(values).toEqual(values.toSorted((a, b) => a - b))
    expect(genes.some(({ adjusted_p_value: p = null }) => (p ?? 1) < 0.01)).toBe(true)
  })

  test('scores of a gene set are those of colMeans and scale', async () => {
    const made = makeRows(kind, cases, first)
    const world = await openExpressionWorld({}, made)
    const [caseIds, geneIds] = [
      made.cases.map((one) => one.caseId),
      made.rows.map((_, gene) => geneId(gene)),
    ]
    const expected = await printedBy(SCORES, made, first)
    for (const [place, method] of (['mean', 'z-score'] as const).entries()) {
      const request = { caseIds, geneIds, method, format: 'json', token: undefined } as const
      const { body } = await world.engine.commons.expression.setScores(request)
      const found = JSON.parse(await text(body)) as {
        readonly genes: number
        readonly cases: readonly { readonly case_id: string; readonly score: number | null }[]
      }
      expect(found.cases.map((one) => one.case_id)).toEqual(caseIds)
      expect(found.genes).toBeGreaterThan(100)
      // Means of z-scores are near 0, so their error is absolute.
      const errors = found.cases.map(({ score }, i) =>
        Math.abs((score ?? Number.NaN) - (expected[place]?.[i] ?? Number.NaN)),
      )
      expect(Math.max(...errors)).toBeLessThan(1e-12)
    }
    await world.close()
  })

  test('correlations are those of cor.test and p.adjust', async () => {
    const made = makeRows(kind, cases, first)
    const world = await openExpressionWorld({}, made)
    const caseIds = made.cases.map((one) => one.caseId)
    const request = { caseIds, geneId: geneId(0), format: 'json', token: undefined } as const
    const { body } = await world.engine.commons.expression.coexpression(request)
    const { genes } = JSON.parse(await text(body)) as { readonly genes: readonly Answered[] }
    await world.close()
    const expected = await printedBy(CORRELATIONS, made, first)
    expect(genes).toHaveLength(made.rows.length - 1)
    for (const gene of genes) {
      const [r = 0, p = 0, rho = 0, q = 0, adjusted = 0, other = 0] =
        expected[Number(gene.gene_id.slice(4)) - 1] ?? []
      expectClose([gene.pearson ?? null], [r])
      expectClose([gene.spearman ?? null], [rho])
      const { pearson_p_value: a = null, spearman_p_value: b = null } = gene
      const { pearson_adjusted_p_value: c = null, spearman_adjusted_p_value: d = null } = gene
      // R computes Student's t from the correlation, whose precision is that of 1 - r^2.
      expectClose([0, a, b, c, d], [0, p, q, adjusted, other])
    }
  })
})
