import { EngineError } from '../../../shared/errors.ts'
import { SET_PREFIX } from '../../query/pattern.ts'
import type { CaseSources, GeneSources } from './case-sources.ts'

/** Access to the stored sets that case and gene sources name (docs/reference/sets.md). */
export interface KeptSets {
  /** @throws EngineError not_found */
  get(setId: string): Promise<{ readonly type: string }>
  /** Returns the ids of the members, some thousand at a time. */
  ids(setId: string): AsyncIterable<readonly string[]>
  /** Returns a filter with the sets that it names as they are at this moment. */
  pin(filter: unknown): Promise<unknown>
}

/** Maximum number of genes of a set, as many as a list of ids may have. */
const MAX_GENES = 100_000

/**
 * Returns a request whose sources were checked with its sets replaced by their members: a set of cases by a
 * filter, a set of genes by ids. An unknown or expired set has no members.
 * @throws EngineError bad_input for a set of another type; too_many genes
 */
export async function withSetSources<Request extends CaseSources & GeneSources>(
  request: Request,
  sets: KeptSets,
): Promise<Request> {
  const { caseSetId, geneSetId } = request
  if (caseSetId === undefined && geneSetId === undefined) return request
  const ofCases = caseSetId !== undefined && {
    caseSetId: undefined,
    caseFilters: await caseFilter(caseSetId, sets),
  }
  const ofGenes = geneSetId !== undefined && {
    geneSetId: undefined,
    geneIds: await geneIds(geneSetId, sets),
  }
  return { ...request, ...ofCases, ...ofGenes }
}

async function caseFilter(setId: string, sets: KeptSets): Promise<unknown> {
  await isKept(setId, 'case', sets)
  const value = [setId.startsWith(SET_PREFIX) ? setId : `${SET_PREFIX}${setId}`]
  return sets.pin({ op: 'in', content: { field: 'cases.case_id', value } })
}

async function geneIds(setId: string, sets: KeptSets): Promise<readonly string[]> {
  if (!(await isKept(setId, 'gene', sets))) return []
  const ids: string[] = []
  for await (const some of sets.ids(setId)) {
    ids.push(...some)
    if (ids.length <= MAX_GENES) continue
    const message = `the set has more genes than the limit of ${MAX_GENES}`
    throw new EngineError('too_many', message, { at: 'gene_set_id' })
  }
  return ids
}

/**
 * Returns whether there is such a set.
 * @throws EngineError bad_input if it holds something else
 */
async function isKept(setId: string, wanted: 'case' | 'gene', sets: KeptSets): Promise<boolean> {
  const found = await sets.get(setId).catch((error: unknown) => {
    if (error instanceof EngineError && error.code === 'not_found') return undefined
    throw error
  })
  if (found === undefined || found.type === wanted) return found !== undefined
  const at = `${wanted}_set_id`
  const message = `${at} names a set of type ${found.type}; give one of type ${wanted}`
  throw new EngineError('bad_input', message, { at })
}
