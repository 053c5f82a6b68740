import { fillAbsent, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import type { Dataset } from '../datasets/define.ts'
import { physicalOf } from '../datasets/physical.ts'

interface CaseFacts {
  /** Real case ids, keyed by generated id. */
  readonly realCases: ReadonlyMap<string, string>
  readonly projectOf: (caseId: string) => string | undefined
}

/**
 * Returns a function that finishes documents of a dataset that links to cases. It replaces generated case ids
 * with real ones. If the dataset also links to projects, it fills in the project of the case. Returns undefined
 * if no document has to change.
 */
export function linkFinisher(
  dataset: Dataset,
  { realCases, projectOf }: CaseFacts,
): ((document: JsonObject) => void) | undefined {
  const { links } = physicalOf(dataset)
  const cases = links.filter((link) => link.dataset === 'cases').map(({ idAt }) => idAt.split('.'))
  const projects = dataset.mounts.flatMap((mount) =>
    mount.kind === 'link' && mount.dataset === 'projects' && !mount.at.includes('.') ? [mount] : [],
  )
  if (projects.length === 0 && realCases.size === 0) return undefined
  return (document) => {
    const caseIds = cases.flatMap((path) => realIds(document, path, realCases))
    const project = caseIds.map(projectOf).find((each) => each !== undefined)
    if (project === undefined) return
    for (const { at, by } of projects) fillAbsent(document, at, { [by]: project })
  }
}

/** Replaces generated case ids at a path with real ids. Returns all case ids that are then at the path. */
function realIds(
  document: JsonObject,
  path: readonly string[],
  realCases: CaseFacts['realCases'],
): readonly string[] {
  const name = path.at(-1) ?? ''
  const holders = path
    .slice(0, -1)
    .reduce<readonly JsonObject[]>(
      (above, step) => above.flatMap((one) => objectsIn(one[step])),
      [document],
    )
  return holders.flatMap((holder) => {
    const given = textIn(holder[name])
    if (given === undefined) return []
    const real = realCases.get(given) ?? given
    if (real !== given) holder[name] = real
    return [real]
  })
}
