import { join } from 'node:path'
import type { MatrixCase, MatrixFacts } from '../../analysis/expression/matrix-format.ts'
import { writeMatrix } from '../../analysis/expression/write-matrix.ts'
import type { RetainedFile } from '../../release/build.ts'
import { EXPRESSION_NAME } from '../../release/layout.ts'
import { readManifest } from '../../release/manifest.ts'
import { allGenes, gatherRows } from './gather.ts'
import { compareIds } from './gene-layout.ts'
import { compareSamples, standingOfBarcode } from './sample-rule.ts'
import { lookThrough, proveMatrix, StoredMatrix, StoredValues } from './stored-matrix.ts'

/**
 * Returns the matrix of a release for use in the next release. If case ids in it have changed or cases were
 * withdrawn, writes a new file. Otherwise returns the same file.
 * @param workFolder folder for a new file
 * @throws EngineError corrupt_source if the matrix is damaged
 */
export async function retainMatrix(
  folder: string,
  cases: MatrixCasesNow,
  workFolder: string,
): Promise<RetainedFile | undefined> {
  const written = (await readManifest(folder)).files[EXPRESSION_NAME]
  if (!written) return undefined
  const path = join(folder, EXPRESSION_NAME)
  const matrix = await StoredMatrix.open(path)
  try {
    const { cases: before } = matrix.facts
    const isSame = ({ caseId, fileId }: MatrixCase) =>
      !cases.realCases.has(caseId) && !isWithdrawn({ caseId, fileId }, cases)
    if (before.every(isSame)) return { path, written }
    await proveMatrix(path, written)
    const renamed = renameCases(before, cases)
    if (renamed.length === 0) return undefined
    const contents = await lookThrough(
      path,
      renamed.map(({ from }) => from),
    )
    const columns = renamed.map(({ from }, to) => ({ from, to }))
    const source = new StoredValues(matrix, contents, columns)
    const genes = allGenes([source])
    const symbols = new Map(contents.genes.map((gene, i) => [gene, contents.symbols[i] ?? null]))
    const facts: MatrixFacts = {
      format: 1,
      kind: contents.kind,
      genes: genes.length,
      cases: renamed.map((each) => each.column),
    }
    const symbolOf = (gene: string) => symbols.get(gene) ?? null
    const target = join(workFolder, EXPRESSION_NAME)
    const rows = gatherRows([source], facts, { genes, symbolOf })
    return { path: target, written: await writeMatrix(target, facts, rows) }
  } finally {
    await matrix.close()
  }
}

/** Changes to the cases of a matrix. */
interface MatrixCasesNow {
  /** Real case ids, keyed by the generated ids that they replace. */
  readonly realCases: ReadonlyMap<string, string>
  /** Ids of withdrawn cases and files. */
  readonly withdrawn: ReadonlySet<string>
}

function isWithdrawn(
  { caseId, fileId }: Pick<MatrixCase, 'caseId' | 'fileId'>,
  { withdrawn }: MatrixCasesNow,
): boolean {
  return withdrawn.has(caseId) || (fileId !== null && withdrawn.has(fileId.toLowerCase()))
}

/**
 * Returns the remaining cases with their current ids. If two columns turn out to be the same case, the sample
 * with the preferred barcode is kept.
 */
function renameCases(cases: readonly MatrixCase[], now: MatrixCasesNow) {
  const renamed = new Map<string, { readonly column: MatrixCase; readonly from: number }>()
  for (const [from, given] of cases.entries()) {
    if (isWithdrawn(given, now)) continue
    const caseId = now.realCases.get(given.caseId) ?? given.caseId
    const known = renamed.get(caseId)
    if (known && compareSamples(choosable(known.column), choosable(given)) <= 0) continue
    renamed.set(caseId, { column: { ...given, caseId }, from })
  }
  return [...renamed.values()].sort((a, b) => compareIds(a.column.caseId, b.column.caseId))
}

const choosable = ({ sample }: MatrixCase) => ({
  sample,
  standing: sample === null ? undefined : standingOfBarcode(sample),
})
