import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { caseId, geneId } from '../../engine/commons/analysis/expression/support/made-matrix.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { serveExpression } from '../commons/expression/support/expression-world.ts'
import { lengthOf, type WatchedServer, watchServer } from './support/watched-server.ts'

// A table of ten million values needs no more resident memory than the matrix. Needs Linux.

const GENES = 20_000
const CASES = 500
const MAX_GROWTH_KILOBYTES = 64 * 1024

const folder = mkdtempSync(join(tmpdir(), 'casemill-expression-memory-'))
let server: WatchedServer

beforeAll(async () => {
  const random = randomFrom(31)
  const rows = Array.from({ length: GENES }, (_, gene) => ({
    geneId: geneId(gene),
    symbol: null,
    values: Uint32Array.from({ length: CASES }, () => Math.floor(2 ** (28 * random.unit()))),
  }))
  const cases = Array.from({ length: CASES }, (_, column) => ({ caseId: caseId(column) }))
  const made = { kind: 'fixed', cases, rows } as const
  const data = join(folder, 'data')
  await serveExpression(data, 'only', {}, { made, executor: inlineExecutor })
  server = await watchServer(data, { CASEMILL_EXPRESSION_CELLS: '0' })
})

afterAll(() => {
  server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Reads a table to its end and returns its length; `slowly` waits between pieces at first. */
async function fetchTable(genes: number, unit: string, slowly = false): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const url = new URL('/gene_expression/values', server.address)
  const asked = request(url, { method: 'POST', headers })
  const case_ids = Array.from({ length: CASES }, (_, i) => caseId(i))
  const gene_ids = Array.from({ length: genes }, (_, i) => geneId(i))
  asked.end(JSON.stringify({ case_ids, gene_ids, tsv_units: unit }))
  const [answer] = await once(asked, 'response')
  expect(answer.statusCode).toBe(200)
  return lengthOf(answer, slowly ? 30 : 0)
}

const isLinux = process.platform === 'linux'

test.skipIf(!isLinux)('a table of any size leaves the resident memory where it was', async () => {
  const units = ['uqfpkm', 'median_centered_log2_uqfpkm'] as const
  for (const unit of units) for (let i = 0; i < 3; i++) await fetchTable(1000, unit)
  const growth: Record<string, number> = {}
  for (const unit of units) {
    growth[unit] = await server.growthOf(async () => {
      expect(await fetchTable(GENES, unit)).toBeGreaterThan(5 * GENES * CASES)
    })
  }
  growth['four slow readers'] = await server.growthOf(() =>
    Promise.all(Array.from({ length: 4 }, () => fetchTable(GENES, 'uqfpkm', true))),
  )
  console.log(`growth of resident memory in kB: ${JSON.stringify(growth)}`)
  for (const [what, kilobytes] of Object.entries(growth)) {
    expect([what, kilobytes <= MAX_GROWTH_KILOBYTES]).toEqual([what, true])
  }
})
