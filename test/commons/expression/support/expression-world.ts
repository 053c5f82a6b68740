import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  MatrixCase,
  MatrixKind,
  MatrixRow,
} from '../../../../engine/commons/analysis/expression/matrix-format.ts'
import { writeMatrix } from '../../../../engine/commons/analysis/expression/write-matrix.ts'
import { buildRelease } from '../../../../engine/commons/release/build.ts'
import { EXPRESSION_NAME } from '../../../../engine/commons/release/layout.ts'
import { Releases } from '../../../../engine/commons/release/releases.ts'
import type { Engine, EngineOptions } from '../../../../engine/index.ts'
import { type Executor, inlineExecutor } from '../../../../engine/shared/index.ts'
import { openEngine, serveRelease } from '../../../places.ts'
import { linesOf, type Records } from '../../contract/support/download-records.ts'

export interface MadeExpression {
  readonly kind: MatrixKind
  /** The cases, ascending by id. */
  readonly cases: readonly (Pick<MatrixCase, 'caseId'> & Partial<MatrixCase>)[]
  /** The genes, ascending by id. */
  readonly rows: readonly MatrixRow[]
}

export interface ExpressionWorld {
  readonly engine: Engine
  readonly folder: string
  /** Builds another release and makes it the current one. */
  serve(id: string, records: Records, made?: MadeExpression): Promise<void>
  close(): Promise<void>
}

const FACTS = {
  dataRelease: 'Data Release 1.0',
  version: { major: 1, minor: 0, releaseDate: '2024-06-03' },
  createdAt: '2024-06-03T09:00:00.000Z',
}

/** An engine over a release of these records and, if given, of this expression. */
export async function openExpressionWorld(
  records: Records,
  made?: MadeExpression,
  options: Partial<Pick<EngineOptions, 'audit' | 'limits' | 'executor' | 'reserveBytes'>> = {},
): Promise<ExpressionWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-expression-'))
  const { executor = inlineExecutor } = options
  await serveExpression(folder, 'first', records, { made, executor })
  const engine = await openEngine({ dataFolder: folder, executor, ...options })
  await engine.start()
  return {
    engine,
    folder,
    serve: (id, next, other) =>
      serveExpression(folder, id, next, { made: other, executor, engine }),
    async close() {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface ServedExpression {
  readonly made: MadeExpression | undefined
  readonly executor: Executor
  /** The engine that serves the folder. */
  readonly engine?: Engine
}

/** Builds a release in a data folder and makes it the current one. */
export async function serveExpression(
  dataFolder: string,
  id: string,
  records: Records,
  { made, executor, engine }: ServedExpression,
): Promise<void> {
  await mkdir(dataFolder, { recursive: true })
  const making = await mkdtemp(join(dataFolder, 'making-'))
  const sources: Record<string, string> = {}
  for (const [dataset, documents] of Object.entries(records)) {
    sources[dataset] = join(making, `${dataset}.ndjson`)
    await writeFile(sources[dataset], linesOf(dataset, documents))
  }
  const extras: Record<string, string> = {}
  if (made) {
    const { kind, rows } = made
    const unknown = { sample: null, fileId: null, access: 'open' } as const
    const cases = made.cases.map((one) => ({ ...unknown, ...one }))
    extras[EXPRESSION_NAME] = join(making, EXPRESSION_NAME)
    const facts = { format: 1, kind, genes: rows.length, cases } as const
    await writeMatrix(extras[EXPRESSION_NAME], facts, rows)
  }
  const releases = new Releases(dataFolder)
  await buildRelease({ folder: releases.path, sources, extras, facts: { ...FACTS, id }, executor })
  await (engine ? serveRelease(engine, id) : releases.switchTo(id))
  await rm(making, { recursive: true })
}
