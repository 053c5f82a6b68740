import { EngineError } from '../../../shared/errors.ts'
import { SET_PREFIX } from '../../query/pattern.ts'
import type { CaseSources, GeneSources } from './case-sources.ts'

/** Access to the stored sets that a request may name (docs/reference/sets.md). */
export interface KeptSets {
  /** @throws EngineError not_found if there is no such set */
  get(setId: string): Promise<{ readonly type: string }>
  /** Yields the ids of the members in batches of some thousand. */
  ids(setId: string): AsyncIterable<readonly string[]>
  /** Returns a filter in which references to stored sets are fixed to their current members. */
  pin(filter: unknown): Promise<unknown>
}

/** Maximum number of genes of a set, the same as for a list of ids. */
const MAX_GENES = 100_000

/**
 * Returns a request with its stored sets replaced: a set of cases by a filter, a set of genes by its ids. An
 * unknown or expired set counts as empty. The request must have been checked by hasCases and hasGenes.
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
 * Returns whether a stored set exists.
 * @throws EngineError bad_input if it is a set of another type of record
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
