import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeMatrix } from '../../../engine/commons/analysis/expression/write-matrix.ts'
import { extendRelease } from '../../../engine/commons/release/extend.ts'
import { EXPRESSION_NAME } from '../../../engine/commons/release/layout.ts'
import { Releases } from '../../../engine/commons/release/releases.ts'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { codingGenes } from '../../../fixtures/expression.ts'
import { buildMadeRelease } from '../../../fixtures/release/build-made.ts'
import type { GivenFile } from '../../../fixtures/release/file-plan.ts'
import { geneIdOf } from '../../../fixtures/release/gene-plan.ts'
import { planOf } from '../../../fixtures/release/make-release.ts'
import { caseIdOf } from '../../../fixtures/release/names.ts'
import { makeSingleCell } from '../../../fixtures/single-cell.ts'
import { createApp } from '../../../server/app.ts'
import { readConfig } from '../../../server/config.ts'
import { createMetrics } from '../../../server/http/metrics.ts'
import { fakeStatus, keptLog } from '../../commons/contract/fake-engine.ts'

const idOf = (n: number) => `0a77ac00-0000-4000-8000-${String(n).padStart(12, '0')}`
const CONTROLLED = { access: 'controlled', project: 'DEMO-CONTROLLED', sample: 'tumour' } as const
const MADE = { scale: 'tiny', seed: 3 } as const

export const TEXT = idOf(1)
export const READS = idOf(2)
export const INDEX = idOf(3)
export const CELLS = idOf(4)
export const OPEN = idOf(5)
export const RELEASE = 'served'

/** A data folder with a release and the bytes of some of its files. */
export interface GuardedWorld extends AsyncDisposable {
  readonly dataFolder: string
  /** The token of a user who may read all controlled files. */
  readonly token: string
  readonly genes: readonly string[]
  /** The id of a case whose expression comes from the controlled text, although its matrix is marked open. */
  readonly caseId: string
}

/** The service started over the data folder. */
export interface Service extends AsyncDisposable {
  readonly engine: Engine
  ask(request: Asked, token?: string): Promise<Got>
}

export interface Asked {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A body to send as JSON by POST. */
  readonly body?: unknown
}

export interface Got {
  readonly status: number
  readonly bytes: Buffer
}

/**
 * Stores controlled files and an open one. The rows of the catalogue mark all as open, so trusting them would
 * disclose everything.
 */
export async function openGuardedWorld(): Promise<GuardedWorld> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'casemill-damaged-'))
  const plan = planOf(MADE)
  const genes = codingGenes(plan).map((row) => geneIdOf(plan.genes, row))
  const given = await makeFiles(dataFolder, genes)
  const caseId = caseIdOf(plan, 0)
  await makeServed(dataFolder, { given, genes, caseId })
  const engine = await openEngine({ dataFolder, executor: inlineExecutor })
  try {
    const manifest = join(dataFolder, 'manifest.txt')
    const rows = given.map(({ id, name, md5, bytes }) => [id, name, md5, bytes].join('\t'))
    await writeFile(manifest, `id\tfilename\tmd5\tsize\n${rows.join('\n')}\n`)
    await engine.commons.importFiles({ manifest, from: dataFolder })
    const stored = [
      ...(await engine.shared.files.findAll([TEXT, READS, INDEX, CELLS, OPEN])).values(),
    ]
    await engine.shared.files.addAll(stored.map((file) => ({ ...file, access: 'open', acl: [] })))
    const projects = ['DEMO-CONTROLLED']
    const { secret: token } = await engine.shared.tokens.create({ user: 'reader', projects })
    const dispose = () => rm(dataFolder, { recursive: true, force: true })
    return { dataFolder, token, genes, caseId, [Symbol.asyncDispose]: dispose }
  } finally {
    await engine.close()
  }
}

async function makeServed(
  dataFolder: string,
  made: Pick<GuardedWorld, 'caseId' | 'genes'> & { readonly given: readonly GivenFile[] },
): Promise<void> {
  const { given, caseId } = made
  const genes = made.genes.slice(0, 3)
  const from = await buildMadeRelease({ dataFolder, executor: inlineExecutor, ...MADE, given })
  const cases = [{ caseId, sample: null, fileId: TEXT, access: 'open' }] as const
  const matrix = { format: 1, kind: 'fixed', genes: genes.length, cases } as const
  const rows = genes.map((geneId, i) => ({ geneId, symbol: null, values: Uint32Array.of(i + 1) }))
  const releases = new Releases(dataFolder)
  const { dataRelease, version, createdAt } = from
  await extendRelease({
    folder: releases.path,
    from,
    fromFolder: releases.folder(from.id),
    facts: { dataRelease, version, createdAt, id: RELEASE },
    files: { [EXPRESSION_NAME]: (path) => writeMatrix(path, matrix, rows) },
  })
  await releases.switchTo(RELEASE)
  await rm(releases.folder(from.id), { recursive: true })
}

async function makeFiles(folder: string, genes: readonly string[]): Promise<GivenFile[]> {
  const path = (name: string) => join(folder, name)
  await writeFile(path('hushed.txt'), 'what nobody may read\n'.repeat(500))
  await writeFile(path('open.txt'), 'what everybody may read\n'.repeat(100))
  await makeBam({ path: path('hushed.bam'), seed: 7, scale: 'tiny', style: 'htslib' })
  await makeSingleCell({ path: path('hushed.loom'), seed: 7, genes, cells: 20 })
  const facts = async (id: string, name: string) => {
    const bytes = await readFile(path(name))
    return { id, name, bytes: bytes.length, md5: createHash('md5').update(bytes).digest('hex') }
  }
  const splices = { dataType: 'Splice Junction Quantification' }
  return [
    { ...(await facts(TEXT, 'hushed.txt')), ...splices, ...CONTROLLED },
    {
      ...(await facts(READS, 'hushed.bam')),
      ...CONTROLLED,
      index: await facts(INDEX, 'hushed.bam.bai'),
    },
    { ...(await facts(CELLS, 'hushed.loom')), dataType: 'Single Cell Analysis', ...CONTROLLED },
    {
      ...(await facts(OPEN, 'open.txt')),
      dataType: 'Copy Number Segment',
      access: 'open',
      project: 'DEMO-OPEN',
      sample: 'tumour',
    },
  ]
}

const config = readConfig({ flags: { logLevel: 'error' } })
/** Starts the service without a port. */
export async function serveWorld(dataFolder: string): Promise<Service> {
  const engine = await openEngine({ dataFolder, executor: inlineExecutor })
  await engine.start()
  // Each service has its own metrics registry.
  const metrics = createMetrics(engine)
  const app = createApp({ engine, config, log: keptLog(config).log, metrics, status: fakeStatus })
  return {
    engine,
    async ask({ path, headers = {}, body }, token) {
      const response = await app.request(path, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        headers: {
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(token === undefined ? {} : { 'X-Auth-Token': token }),
          ...headers,
        },
      })
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
    },
    [Symbol.asyncDispose]: () => engine.close(),
  }
}
