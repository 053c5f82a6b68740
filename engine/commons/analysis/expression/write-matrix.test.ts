import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BATCH_BYTES, type MatrixFacts, type MatrixRow } from './matrix-format.ts'
import { writeMatrix } from './write-matrix.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-matrix-'))
})
afterAll(() => rm(folder, { recursive: true }))

const CASES = 1 << 18
const cases = Array.from({ length: CASES }, (_, i) => {
  return { caseId: String(i).padStart(6, '0'), sample: null, fileId: null, access: 'open' } as const
})
const factsOf = (genes: number): MatrixFacts => ({ format: 1, kind: 'fixed', genes, cases })

test('rows are on the disk a few batches after they were made, however many there are', async () => {
  const path = join(folder, 'large')
  const genes = 60
  let most = 0
  async function* rows(): AsyncGenerator<MatrixRow> {
    const values = new Uint32Array(CASES)
    for (let gene = 0; gene < genes; gene++) {
      const written = (await stat(path).catch(() => undefined))?.size ?? 0
      most = Math.max(most, gene * CASES * 4 - written)
      yield { geneId: `G${String(gene).padStart(3, '0')}`, symbol: null, values }
    }
  }
  const { bytes } = await writeMatrix(path, factsOf(genes), rows())
  expect((await stat(path)).size).toBe(bytes)
  expect(bytes).toBeGreaterThan(10 * BATCH_BYTES)
  expect(most).toBeLessThanOrEqual(3 * BATCH_BYTES)
})
