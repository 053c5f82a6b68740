import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEngine } from '../../engine/index.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import { buildMadeRelease } from '../../fixtures/release/build-made.ts'
import { looms } from '../commons/contract/support/cell-files.ts'
import type { Ask, Starved, StarvedPlan } from './support/starved-entry.ts'

// A process without free file descriptors cannot open intact files. It must answer that it is busy, never that a
// file is damaged or must be imported again, and must continue when descriptors are free.

const OPEN_FILES = 160
const ENTRY = join(import.meta.dirname, 'support/starved-entry.ts')
const BAM = '11111111-2222-5333-8444-555555555501'
const CELLS = '11111111-2222-5333-8444-555555555502'
const OTHER_CELLS = '11111111-2222-5333-8444-555555555503'
const GENE = 'ENSG00000000001'

const folder = await mkdtemp(join(tmpdir(), 'casemill-starved-'))
const dataFolder = join(folder, 'data')

const cellsOf = (id: string): Ask => ({
  path: '/scrna_seq/gene_expression',
  body: { file_id: id, gene_ids: [GENE], format: 'tsv' },
})
const ASKS: readonly (Ask & { readonly status: number })[] = [
  { path: '/files?facets=data_type&size=1', status: 200 },
  { path: '/cases?facets=primary_site&size=1', status: 200 },
  { path: `/data/${BAM}`, status: 200 },
  { path: `/slicing/view/${BAM}?region=chr17:7661779-7687550`, status: 206 },
  { ...cellsOf(OTHER_CELLS), status: 200 },
  { path: '/files?fields=file_id&size=1&format=parquet', status: 200 },
  { path: '/docs/swagger-ui.css', status: 200 },
]

async function storeCells(engine: Awaited<ReturnType<typeof openEngine>>): Promise<void> {
  const { whole } = await looms({ genes: [GENE], cells: 5, numberOf: (_, cell) => cell })
  await writeFile(join(folder, 'a.loom'), whole)
  const md5 = createHash('md5').update(whole).digest('hex')
  const rows = [CELLS, OTHER_CELLS].map((id) => [id, 'a.loom', md5, whole.length].join('\t'))
  const manifest = join(folder, 'manifest.txt')
  await writeFile(manifest, `${['id\tfilename\tmd5\tsize', ...rows].join('\n')}\n`)
  await engine.commons.importFiles({ manifest, from: folder, link: false, access: 'open' })
}

beforeAll(async () => {
  await mkdir(dataFolder)
  const executor = inlineExecutor
  await buildMadeRelease({ dataFolder, executor, scale: 'tiny', seed: 5, id: 'made' })
  const engine = await openEngine({ dataFolder, executor })
  const path = join(folder, 'a.bam')
  await makeBam({ path, seed: 1, style: 'htslib', scale: 'small' })
  await engine.commons.importBam({ path, id: BAM, access: 'open', project: 'P' })
  await storeCells(engine)
  await engine.close()
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test.skipIf(process.platform === 'win32')(
  'without descriptors it is busy, and nothing is called damaged; then all goes on',
  async () => {
    const plan: StarvedPlan = { dataFolder, before: [cellsOf(CELLS)], asks: ASKS }
    const limited = ['-c', 'ulimit -n "$0" && exec "$@"', String(OPEN_FILES)]
    const entry = [process.execPath, ENTRY, JSON.stringify(plan)]
    const run = await promisify(execFile)('sh', [...limited, ...entry])
    const answers = JSON.parse(run.stdout) as readonly Starved[]
    expect(answers).toMatchObject(ASKS.map(({ path, status }) => ({ path, fed: { status } })))
    for (const { path, starved } of answers) {
      expect(starved, path).toMatchObject({ status: 503, retryAfter: '5' })
      expect(starved.text, path).toContain('as many files open as it may')
      expect(starved.text, path).not.toMatch(/import|damaged|not be used/)
    }
  },
)
