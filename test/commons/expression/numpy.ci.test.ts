import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fiveDecimals } from '../../../engine/commons/analysis/expression/exact-decimals.ts'
import type { MatrixRow } from '../../../engine/commons/analysis/expression/matrix-format.ts'
import {
  caseId,
  geneId,
  someFixed,
} from '../../../engine/commons/analysis/expression/support/made-matrix.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { runPython } from '../../peers/run-peer.ts'
import { type MadeExpression, openExpressionWorld } from './support/expression-world.ts'
import { writeValues } from './support/written-values.ts'

// Compares tables and selections with numpy's results for the same numbers.

const REAL = publicData('data/expression/tcga_coad_chr21.fpkm_uq.tsv.gz')

const TABLES = `
import sys, warnings
import numpy as np
warnings.simplefilter('ignore')
path, genes, cases, unit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
v = np.fromfile(path).reshape(genes, cases)
def plain(z): return np.format_float_positional(z, trim='-')
def five(z): return '%.5f' % z
if unit != 'uqfpkm':
    x = np.log2(v + 1)
    v = x - np.nanmedian(x, axis=1, keepdims=True)
form = plain if unit == 'uqfpkm' else five
for row in v: print('\\t'.join('' if np.isnan(z) else form(z) for z in row))
`

const MEASURES = `
import sys, warnings
import numpy as np
warnings.simplefilter('ignore')
x = np.log2(np.fromfile(sys.argv[1]).reshape(int(sys.argv[2]), int(sys.argv[3])) + 1)
for s, m in zip(np.nanstd(x, axis=1), np.nanmedian(x, axis=1)): print(repr(float(s)), repr(float(m)))
`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-numpy-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const writtenFor = (made: MadeExpression) => writeValues(join(folder, 'values'), made)

/** Finds the first different cell, so that a failure is readable. */
function firstDifference(line: string, expected: string): string[] {
  if (line === expected) return []
  const cells = line.split('\t')
  const others = expected.split('\t')
  const at = cells.findIndex((cell, i) => cell !== others[i])
  return [`${cells[0]}, cell ${at}: ${cells[at]} instead of ${others[at]}`]
}

function realRows(kind: 'fixed' | 'double'): MadeExpression {
  const [head = '', ...lines] = gunzipSync(readFileSync(REAL)).toString().trimEnd().split('\n')
  const samples = head.split('\t').slice(1)
  const rows = lines.map((line): MatrixRow => {
    const [id = '', ...cells] = line.split('\t')
    const numbers = cells.map(Number)
    const fixed = () => Uint32Array.from(numbers, (number) => Math.round(number * 10_000))
    const values = kind === 'fixed' ? fixed() : Float64Array.from(numbers)
    return { geneId: id, symbol: null, values }
  })
  rows.sort((a, b) => (a.geneId < b.geneId ? -1 : 1))
  return { kind, cases: samples.map((one) => ({ caseId: one.toLowerCase() })), rows }
}

function randomRows(kind: 'fixed' | 'double'): MadeExpression {
  const random = randomFrom(kind === 'fixed' ? 21 : 22)
  const drawn = () => {
    if (kind === 'fixed') {
      return random.chance(0.5) ? someFixed(random.unit) : Math.floor(2 ** random.normal(15, 3))
    }
    if (random.chance(0.1)) return random.chance(0.5) ? 0 : Number.NaN
    // The values are too large to be printed with an exponent.
    return 2 ** random.normal(8, 4) + 0.0001
  }
  const rows = Array.from({ length: 400 }, (_, gene): MatrixRow => {
    const numbers = Array.from({ length: 501 - (kind === 'fixed' ? 1 : 0) }, drawn)
    const values = kind === 'fixed' ? Uint32Array.from(numbers) : Float64Array.from(numbers)
    return { geneId: geneId(gene), symbol: null, values }
  })
  const cases = Array.from(rows[0]?.values ?? [], (_, column) => ({ caseId: caseId(column) }))
  return { kind, cases, rows }
}

const MATRICES = [
  ['the public matrix in ten-thousandths', available.shared, () => realRows('fixed')],
  ['the public matrix as doubles', available.shared, () => realRows('double')],
  ['random ten-thousandths', true, () => randomRows('fixed')],
  ['random doubles', true, () => randomRows('double')],
] as const

describe.each(MATRICES)('%s', (_, isHere, make) => {
  const isReady = available.numpy && isHere

  test.skipIf(!isReady).each(['uqfpkm', 'median_centered_log2_uqfpkm'] as const)(
    'every character of values in %s is numpy’s',
    async (unit) => {
      const made = make()
      const world = await openExpressionWorld({}, made, { limits: { expressionCells: 0 } })
      const caseIds = made.cases.map((one) => one.caseId)
      const geneIds = made.rows.map((row) => row.geneId)
      const request = { caseIds, geneIds, unit, format: 'tsv', token: undefined } as const
      const table = await text((await world.engine.commons.expression.values(request)).body)
      await world.close()
      const printed = await runPython(TABLES, [...(await writtenFor(made)), unit])
      const lines = printed.split('\n').slice(0, -1)
      const expected = [
        ['gene_id', ...caseIds].join('\t'),
        ...geneIds.map((id, i) => `${id}\t${lines[i]}`),
      ]
      const printedLines = table.split('\n').slice(0, -1)
      expect(printedLines).toHaveLength(expected.length)
      const wrong = printedLines.flatMap((line, i) => firstDifference(line, expected[i] ?? ''))
      expect(wrong).toEqual([])
    },
  )

  test.skipIf(!isReady)('deviations and medians are numpy’s to twelve digits', async () => {
    const made = make()
    const world = await openExpressionWorld({}, made)
    const caseIds = made.cases.map((one) => one.caseId)
    const { body } = await world.engine.commons.expression.geneSelection({
      caseIds,
      geneType: 'protein_coding',
      size: 1e6,
      leastMedian: -1,
      token: undefined,
    })
    const { gene_selection: found } = JSON.parse(await text(body)) as {
      readonly gene_selection: readonly {
        readonly gene_id: string
        readonly log2_uqfpkm_stddev: number
        readonly log2_uqfpkm_median: number
      }[]
    }
    await world.close()
    const printed = await runPython(MEASURES, await writtenFor(made))
    const measures = new Map(
      printed
        .trimEnd()
        .split('\n')
        .map((line, i) => [made.rows[i]?.geneId ?? '', line.split(' ').map(Number)] as const)
        .filter(([, [spread = 0]]) => spread > 0.0001),
    )
    expect(new Set(found.map((one) => one.gene_id))).toEqual(new Set(measures.keys()))
    for (const { gene_id: id, log2_uqfpkm_stddev: s, log2_uqfpkm_median: m } of found) {
      const [spread = Number.NaN, median = Number.NaN] = measures.get(id) ?? []
      expect(Math.abs(s / spread - 1)).toBeLessThan(1e-12)
      expect(Math.abs(m - median)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(median)))
    }
    const spreads = found.map((one) => one.log2_uqfpkm_stddev)
    expect(spreads).toEqual(spreads.toSorted((a, b) => b - a))
  })
})

test.skipIf(!available.numpy)(
  'any number is printed with five decimals as C prints it',
  async () => {
    const random = randomFrom(23)
    const values = Float64Array.from({ length: 300_000 }, (_, i) => {
      const sign = random.chance(0.5) ? -1 : 1
      // Half of the values are dyadic fractions, including all ties.
      if (i % 2 === 0) return (sign * random.below(2 ** 30)) / 2 ** random.below(40)
      return sign * 2 ** random.normal(0, 12)
    })
    await writeFile(join(folder, 'numbers'), values)
    const script =
      'import sys, numpy as np\n' +
      "print('\\n'.join('%.5f' % z for z in np.fromfile(sys.argv[1]).tolist()))"
    const printed = await runPython(script, [join(folder, 'numbers')])
    expect(Array.from(values, fiveDecimals)).toEqual(printed.trimEnd().split('\n'))
  },
)
