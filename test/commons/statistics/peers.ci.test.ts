import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  contingencyTest,
  withoutEmpty,
} from '../../../engine/commons/analysis/statistics/contingency.ts'
import { fisherPValue } from '../../../engine/commons/analysis/statistics/fisher-exact.ts'
import { kruskalWallis } from '../../../engine/commons/analysis/statistics/kruskal-wallis.ts'
import { logGammaOfHalf } from '../../../engine/commons/analysis/statistics/log-gamma.ts'
import { noncentralUpperTail } from '../../../engine/commons/analysis/statistics/noncentral-chi-square.ts'
import { logOddsRatio } from '../../../engine/commons/analysis/statistics/odds-ratio.ts'
import { superiorityOf } from '../../../engine/commons/analysis/statistics/superiority.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { runPython, runR } from '../../peers/run-peer.ts'

// Compares tests and effects with R (fisher.test, chisq.test, kruskal.test, pchisq, lgamma) and scipy.

const random = randomFrom(44)

/** The relative difference of two numbers. */
const apart = (one: number, other: number) =>
  one === other ? 0 : Math.abs(one - other) / Math.max(Math.abs(one), Math.abs(other))

const numbersIn = (printed: string) =>
  printed
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))

const FOURS: readonly (readonly [number, number, number, number])[] = [
  [0, 0, 3, 4],
  [0, 5, 5, 0],
  [1, 0, 0, 1],
  [10, 0, 0, 200],
  [120, 880, 1500, 30_000],
  [4_000, 46_000, 4_400, 45_600],
  [1, 49_999, 3, 49_997],
  [300, 700, 0, 99_000],
  ...Array.from({ length: 300 }, () => {
    const size = [3, 12, 60, 900][random.below(4)] ?? 3
    return [0, 0, 0, 0].map(() => random.below(size)) as unknown as [number, number, number, number]
  }),
]

/** Values of several groups; most occur several times. */
const GROUPS = Array.from({ length: 60 }, () =>
  Array.from({ length: 2 + random.below(4) }, () =>
    Float64Array.from({ length: 2 + random.below(60) }, () => random.below(40) / 4).sort(),
  ),
)

describe.skipIf(!available.survival)('as in R', () => {
  test('Fisher’s exact test', async () => {
    const rows = FOURS.map((row) => `c(${row.join(',')})`).join(',')
    const printed = await runR(
      `for (x in list(${rows})) cat(sprintf("%.17g\\n", fisher.test(matrix(x, 2))$p.value))`,
    )
    const worst = numbersIn(printed).map(([p = -1], i) => [apart(fisherPValue(FOURS[i]!), p), p])
    expect(worst).toHaveLength(FOURS.length)
    // R computes the chances from logarithms of factorials, which have fewer digits for large tables.
    expect(Math.max(...worst.map(([distance = 1]) => distance))).toBeLessThan(1e-8)
  })

  test('the chi-square test, and Cramér’s V with its interval', async () => {
    const tables = Array.from({ length: 60 }, (_, i) => {
      const [rows, columns] = [2 + random.below(4), 2 + random.below(5)]
      const size = [4, 30, 2000][i % 3] ?? 4
      return withoutEmpty(
        Array.from({ length: rows }, (_, r) =>
          Array.from({ length: columns }, (_, c) => random.below(r === c ? 2 * size : size)),
        ),
      )
    }).filter((table) => table.length > 1 && table[0]!.length > 1)
    const given = tables
      .map((table) => `matrix(c(${table.flat().join(',')}), ${table.length}, byrow = TRUE)`)
      .join(',')
    const printed = await runR(`
      options(warn = -1)
      limit <- function(x, df, p) {
        f <- function(l) pchisq(x, df, ncp = l, lower.tail = FALSE) - p
        if (f(0) >= 0) 0 else uniroot(f, c(0, 10 * x + 100), tol = 1e-12)$root
      }
      for (t in list(${given})) {
        c <- chisq.test(t, correct = FALSE)
        df <- c$parameter; m <- sum(t) * (min(dim(t)) - 1)
        low <- limit(c$statistic, df, 0.025); high <- limit(c$statistic, df, 0.975)
        cat(sprintf("%.17g ", c(c$statistic, df, c$p.value, sqrt(c$statistic / m),
          if (low == 0) 0 else min(1, sqrt((low + df) / m)), min(1, sqrt((high + df) / m)))), "\\n")
      }`)
    for (const [i, numbers] of numbersIn(printed).entries()) {
      const found = contingencyTest(tables[i]!)
      const { statistic, degreesFreedom, pValue, cramersV, lower, upper } = found
      const exact = [statistic, degreesFreedom, pValue, cramersV]
      for (const [place, value] of exact.entries()) {
        expect(apart(value, numbers[place]!)).toBeLessThan(1e-9)
      }
      // R's pchisq with a noncentrality has about eight digits.
      for (const [place, value] of [lower, upper].entries()) {
        expect(apart(value, numbers[4 + place]!)).toBeLessThan(1e-6)
      }
    }
  })

  test('Kruskal and Wallis’s test', async () => {
    // R waits forever on a long expression, so the values are in a file, with a line for each group.
    const folder = await mkdtemp(join(tmpdir(), 'casemill-ranks-'))
    const path = join(folder, 'groups')
    await writeFile(
      path,
      GROUPS.map((groups) => groups.map((all) => all.join(',')).join(';')).join('\n'),
    )
    const printed = await runR(
      `
      numbers <- function(text) as.numeric(strsplit(text, ",")[[1]])
      for (line in readLines(commandArgs(TRUE)[1], warn = FALSE)) {
        k <- kruskal.test(lapply(strsplit(line, ";")[[1]], numbers))
        cat(sprintf("%.17g ", c(k$statistic, k$parameter, k$p.value)), "\\n")
      }`,
      [path],
    )
    await rm(folder, { recursive: true })
    expect(numbersIn(printed)).toHaveLength(GROUPS.length)
    for (const [i, numbers] of numbersIn(printed).entries()) {
      const { statistic, degreesFreedom, pValue } = kruskalWallis(GROUPS[i]!)
      for (const [place, value] of [statistic, degreesFreedom, pValue].entries()) {
        expect(apart(value, numbers[place]!)).toBeLessThan(1e-10)
      }
    }
  })

  test('logarithms of the gamma function', async () => {
    const printed = await runR('for (i in 1:400) cat(sprintf("%.17g\\n", lgamma(i / 2)))')
    for (const [i, [value = -1]] of numbersIn(printed).entries()) {
      expect(Math.abs(logGammaOfHalf(i + 1) - value)).toBeLessThan(1e-12 * Math.max(1, value))
    }
  })
})

describe.skipIf(!available.numpy)('as in scipy', () => {
  test('odds ratios with their intervals', async () => {
    const positive = FOURS.filter((row) => !row.includes(0))
    const printed = await runPython(`
from scipy.stats.contingency import odds_ratio
from math import log
for a, b, c, d in ${JSON.stringify(positive)}:
    r = odds_ratio([[a, b], [c, d]], kind='sample')
    i = r.confidence_interval(0.95)
    print(repr(log(r.statistic)), repr(log(i.low)), repr(log(i.high)))`)
    for (const [i, [value = -9, lower = -9, upper = -9]] of numbersIn(printed).entries()) {
      const found = logOddsRatio(positive[i]!)
      expect(found?.value).toBeCloseTo(value, 10)
      expect(found?.lower).toBeCloseTo(lower, 10)
      expect(found?.upper).toBeCloseTo(upper, 10)
    }
    // python3 -c 'import math; print(math.log((10.5 * 200.5) / (0.5 * 0.5)))'
    expect(logOddsRatio([10, 0, 0, 200])?.value).toBeCloseTo(9.038483865029992, 12)
    expect(logOddsRatio([0, 0, 3, 4])).toBeUndefined()
  })

  test('the noncentral chi-square distribution', async () => {
    const asked = [1, 2, 3, 7, 60].flatMap((df) =>
      [0.5, 4, 30, 400].flatMap((x) => [0.01, 1, 25, 390].map((ncp) => [x, df, ncp])),
    )
    const printed = await runPython(`
from scipy.stats import ncx2
for x, df, nc in ${JSON.stringify(asked)}: print(repr(float(ncx2.sf(x, df, nc))))`)
    for (const [i, [tail = -1]] of numbersIn(printed).entries()) {
      const [x = 0, df = 0, ncp = 0] = asked[i]!
      expect(Math.abs(noncentralUpperTail(x, df, ncp) - tail)).toBeLessThan(1e-10)
    }
  })

  test('the probability of superiority, with DeLong’s interval', async () => {
    const pairs = GROUPS.map(([first, second]) => [[...first!], [...second!]])
    const printed = await runPython(`
import numpy as np
from scipy.stats import mannwhitneyu, norm
for x, y in ${JSON.stringify(pairs)}:
    x, y = np.array(x), np.array(y)
    wins = (x[:, None] > y) + 0.5 * (x[:, None] == y)
    auc = mannwhitneyu(x, y).statistic / (len(x) * len(y))
    width = norm.ppf(0.975) * np.sqrt(wins.mean(1).var(ddof=1) / len(x) + wins.mean(0).var(ddof=1) / len(y))
    print(repr(float(auc)), repr(float(max(0, auc - width))), repr(float(min(1, auc + width))))`)
    for (const [i, [value = -1, lower = -1, upper = -1]] of numbersIn(printed).entries()) {
      const found = superiorityOf(GROUPS[i]![0]!, GROUPS[i]![1]!)
      expect(found.value).toBeCloseTo(value, 12)
      expect(found.lower).toBeCloseTo(lower, 12)
      expect(found.upper).toBeCloseTo(upper, 12)
    }
  })
})
