import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { readMatrixFile } from '../../../../../engine/commons/import/expression/support/matrix-file.ts'
import { DATASET_NAMES, importExpression, Releases } from '../../../../../engine/commons/index.ts'
import { EngineError, inlineExecutor } from '../../../../../engine/shared/index.ts'
import type { JsonObject } from '../../../../../engine/shared/input/json-value.ts'
import type { GivenSource } from '../../support/documents.ts'
import { documentsIn, importOf } from '../../support/world.ts'

export interface Imported {
  /** Records by dataset; `expression` has the values of genes by case. */
  readonly records: Readonly<Record<string, readonly JsonObject[]>>
  /** What the reports say about each source, or the errors that ended the imports. */
  readonly told: readonly unknown[]
}

/** Matrices of expression have a separate import command. */
const isMatrix = (path: string) => basename(path).startsWith('expression.')

/** Imports files into an empty data folder, expression last. */
export async function imported(sources: readonly GivenSource[]): Promise<Imported> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-law-'))
  try {
    const dataFolder = join(folder, 'data')
    const paths = await written(folder, sources)
    const matrices = paths.filter(isMatrix)
    const others = paths.filter((path) => !isMatrix(path))
    const told: unknown[] = await reported(async () => {
      const report = await importOf(dataFolder, ...others)
      // Columns without a meaning lose no value.
      const sources = report.sources.map(({ unknownFields, ...source }) => source)
      return [...sources, ...report.badRows]
    })
    if (matrices.length > 0) {
      told.push(
        ...(await reported(async () => {
          const what = { dataFolder, executor: inlineExecutor, sources: matrices }
          const { dataRelease, releaseId, ...report } = await importExpression(what)
          return [report]
        })),
      )
    }
    return {
      records: await recordsIn(dataFolder),
      told: JSON.parse(JSON.stringify(told).replaceAll(folder, '')),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function written(folder: string, sources: readonly GivenSource[]): Promise<string[]> {
  return Promise.all(
    sources.map(async ({ name, content }, i) => {
      await mkdir(join(folder, String(i)))
      const path = join(folder, String(i), name)
      await writeFile(path, content)
      return path
    }),
  )
}

async function reported(run: () => Promise<unknown[]>): Promise<unknown[]> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return [error.message]
  }
}

async function recordsIn(dataFolder: string): Promise<Imported['records']> {
  const releases = new Releases(dataFolder)
  const current = await releases.current()
  if (current === undefined) return {}
  const documents = await documentsIn(dataFolder, DATASET_NAMES)
  return {
    ...Object.fromEntries(DATASET_NAMES.map((name, i) => [name, documents[i] ?? []])),
    expression: await expressionIn(join(releases.folder(current), 'expression.arrow')),
  }
}

async function expressionIn(path: string): Promise<readonly JsonObject[]> {
  if (!existsSync(path)) return []
  const { facts, genes, values } = await readMatrixFile(path)
  return genes.map((gene) => ({
    gene_id: gene,
    ...Object.fromEntries(facts.cases.map(({ caseId }, i) => [caseId, values[gene]?.[i] ?? null])),
  }))
}
