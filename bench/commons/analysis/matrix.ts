import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  FIXED_SCALE,
  type MatrixFacts,
  type MatrixRow,
} from '../../../engine/commons/analysis/expression/matrix-format.ts'
import { mix, randomFrom } from '../../../fixtures/random.ts'
import type { Layout } from './layout.ts'

/**
 * The expression matrix as all of those who take part are given it: `values.u32`, ten-thousandths as
 * 32-bit numbers in the machine's order, gene after gene, and the names of rows and columns.
 */
interface Matrix {
  readonly genes: readonly { readonly id: string; readonly symbol: string }[]
  readonly cases: readonly string[]
}

const VALUES = 'values.u32'
const NAMES = 'names.json'

/** The first protein-coding genes and the first cases of a release, in order of their ids. */
async function namesIn(documents: string, { genes, cases }: Layout): Promise<Matrix> {
  const coding = await firstOf(join(documents, 'genes.ndjson'), genes, (gene) =>
    gene.biotype === 'protein_coding'
      ? { id: String(gene.gene_id), symbol: String(gene.symbol) }
      : undefined,
  )
  const first = await firstOf(join(documents, 'cases.ndjson'), cases, (one) => String(one.case_id))
  return { genes: coding, cases: first }
}

async function firstOf<Name>(
  path: string,
  most: number,
  nameOf: (record: Readonly<Record<string, unknown>>) => Name | undefined,
): Promise<Name[]> {
  const names: Name[] = []
  const source = createReadStream(path)
  for await (const line of createInterface({ input: source })) {
    const name = nameOf(JSON.parse(line))
    if (name !== undefined) names.push(name)
    if (names.length === most) break
  }
  source.destroy()
  if (names.length < most) throw new Error(`${path} has ${names.length} of ${most} records`)
  return names
}

/** Quantiles of the normal distribution in random order, so that no logarithm is taken per value. */
const QUANTILES = 1 << 16

/** Not expressed: one in so many values is 0. */
const ZERO_IN = 12

/** Writes the matrix into a folder. @returns MD5 of its values */
export async function makeMatrix(folder: string, documents: string, layout: Layout) {
  const names = await namesIn(documents, layout)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, NAMES), JSON.stringify(names))
  const quantiles = normals()
  const all = createHash('md5')
  const file = await open(join(folder, VALUES), 'w')
  try {
    const row = new Uint32Array(layout.cases)
    for (let gene = 0; gene < layout.genes; gene++) {
      fillRow(row, gene, quantiles)
      const bytes = Buffer.from(row.buffer)
      all.update(bytes)
      await file.writeFile(bytes)
    }
  } finally {
    await file.close()
  }
  return all.digest('hex')
}

function normals(): Float64Array {
  const random = randomFrom(1)
  return Float64Array.from({ length: QUANTILES }, () => random.normal(0, 1))
}

/** Values of a gene are spread evenly in logarithms around a middle of its own. */
function fillRow(row: Uint32Array, gene: number, quantiles: Float64Array): void {
  const random = randomFrom(2, gene)
  const middle = random.normal(2, 1.5)
  const spread = 0.1 + random.unit() * 0.9
  const isSilent = random.chance(0.05)
  for (let column = 0; column < row.length; column++) {
    const bits = mix(Math.imul(gene + 1, 0x9e3779b1) ^ column) >>> 0
    const isZero = isSilent || (bits >>> 16) % ZERO_IN === 0
    const value = Math.exp(middle + spread * quantiles[bits % QUANTILES]!)
    row[column] = isZero ? 0 : Math.min(Math.round(value * FIXED_SCALE), 4_000_000_000)
  }
}

export async function readNames(folder: string): Promise<Matrix> {
  return JSON.parse(await readFile(join(folder, NAMES), 'utf8'))
}

export const valuesPath = (folder: string) => join(folder, VALUES)

/** The matrix as the engine's writer takes it; all of it is open. */
export async function matrixRows(
  folder: string,
): Promise<{ readonly facts: MatrixFacts; readonly rows: AsyncIterable<MatrixRow> }> {
  const { genes, cases } = await readNames(folder)
  const facts: MatrixFacts = {
    format: 1,
    kind: 'fixed',
    genes: genes.length,
    cases: cases.map((caseId) => ({ caseId, sample: null, fileId: null, access: 'open' })),
  }
  const rows = async function* () {
    const file = await open(valuesPath(folder))
    try {
      for (const { id, symbol } of genes) {
        const values = new Uint32Array(cases.length)
        await file.read(values)
        yield { geneId: id, symbol, values }
      }
    } finally {
      await file.close()
    }
  }
  return { facts, rows: rows() }
}
