import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeMatrix } from '../../commons/analysis/expression/write-matrix.ts'
import { matrixCases } from '../../commons/import/expression/choose.ts'
import {
  leftOutOf,
  type SamplesLeftOut,
} from '../../commons/import/expression/expression-report.ts'
import { IssueTally } from '../../commons/import/expression/issue-tally.ts'
import { MatrixMerge } from '../../commons/import/expression/matrix-merge.ts'
import { recogniseTables, type Table } from '../../commons/import/expression/tables.ts'
import { COPY_BYTES, copyHashed } from '../../commons/import/files/copy.ts'
import { EXPRESSION_NAME } from '../../commons/release/layout.ts'
import { Release } from '../../commons/release/release.ts'
import type { WrittenFiles } from '../../commons/release/written-files.ts'
import { blobKey } from '../../shared/blobs/blob-key.ts'
import type { StoredFile } from '../../shared/catalogue/files.ts'
import type { Executor } from '../../shared/executor.ts'
import type { SourceFile } from '../../shared/input/source-file.ts'
import type { StoredBytes } from './stored-bytes.ts'

interface ExpressionContext extends StoredBytes {
  readonly executor: Executor
  /** Folder for temporary files, until the release is complete. */
  readonly workFolder: string
  readonly signal?: AbortSignal | undefined
}

/** Result of adding submitted expression tables to a release. */
export interface ReleasedExpression {
  readonly samplesRead: number
  readonly samplesLeftOut: readonly SamplesLeftOut[]
  /** Numbers of cases and genes in the resulting matrix. */
  readonly cases: number
  readonly genes: number
}

/** Maximum number of invalid rows, over all tables. */
const MAX_ERRORS = 1000

/**
 * Returns the submitted files that are expression tables of one sample, in a format that imports accept.
 * Messages name the files by id.
 * @throws EngineError `bad_input` if a gzip file cannot be inflated
 */
export async function expressionTables(
  ids: readonly string[],
  context: ExpressionContext,
): Promise<readonly Table[]> {
  const files: SourceFile[] = []
  const rows = await context.files.findAll(ids)
  for (const id of ids) {
    const row = rows.get(id)
    if (row)
      files.push({ path: await localPath(row, context), name: id, size: row.size, isNamed: true })
  }
  const isSample = (each: ReturnType<typeof recogniseTables>[number]): each is Table =>
    'form' in each && each.form.kind === 'sample'
  return recogniseTables(files).filter(isSample)
}

/** Returns a local path whose last folder is the file's id, by which a release finds the file. */
async function localPath(row: StoredFile, context: ExpressionContext): Promise<string> {
  const { blobs, workFolder, signal } = context
  const key = blobKey(row.id, row.fileName)
  if (row.storage === 'folder') return blobs.folder.path(key)
  const path = join(workFolder, 'tables', key.id, key.name)
  await mkdir(dirname(path), { recursive: true })
  const blob = await blobs.of(row.storage).open(key)
  try {
    await copyHashed(blob, { partPath: path, buffer: Buffer.allocUnsafeSlow(COPY_BYTES), signal })
  } finally {
    await blob.close()
  }
  return path
}

/**
 * Adds expression tables to the matrix of a release being built. If a case has several samples, one is chosen
 * as in imports. Tables that the matrix already contains are not read again.
 * @param folder folder of the release
 * @throws EngineError `bad_input` for a damaged table or too many invalid rows
 */
export async function addExpression(
  tables: readonly Table[],
  folder: string,
  context: ExpressionContext,
): Promise<{ readonly files: WrittenFiles; readonly expression: ReleasedExpression | undefined }> {
  const nothing = { files: {}, expression: undefined }
  if (tables.length === 0) return nothing
  const { executor, workFolder, signal } = context
  const issues = new IssueTally(MAX_ERRORS)
  const release = await Release.open(folder)
  // The matrix is written to a new file, because the existing file may be a hard link to the matrix of the
  // previous release.
  const path = join(folder, `.${EXPRESSION_NAME}`)
  try {
    const merge = await MatrixMerge.open({
      release,
      releaseFolder: folder,
      workFolder,
      executor,
      issues,
      signal,
    })
    try {
      const known = new Set(merge.columns.map(({ fileId }) => fileId))
      const fresh = tables.filter(({ file }) => !known.has(file.name))
      if (fresh.length === 0) return nothing
      const choice = await merge.choose(fresh)
      const samplesLeftOut = leftOutOf(choice.leftOut)
      if (choice.chosen.size === 0) {
        const { cases, genes } = { cases: merge.columns.length, genes: merge.genes }
        return { files: {}, expression: { samplesRead: 0, samplesLeftOut, cases, genes } }
      }
      const cases = matrixCases(choice, { controlled: false })
      const { facts, rows } = await merge.read(fresh, choice, cases)
      const written = await writeMatrix(path, facts, rows, { signal })
      await rename(path, join(folder, EXPRESSION_NAME))
      return {
        files: { [EXPRESSION_NAME]: written },
        expression: {
          samplesRead: choice.chosen.size,
          samplesLeftOut,
          cases: cases.length,
          genes: facts.genes,
        },
      }
    } finally {
      await merge.close()
    }
  } finally {
    await release.close()
  }
}
