import { fillAbsent, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import type { Dataset } from '../datasets/define.ts'
import { physicalOf } from '../datasets/physical.ts'

export interface CaseFacts {
  /** Real ids of cases by the ids that were made for them. */
  readonly realCases: ReadonlyMap<string, string>
  readonly projectOf: (caseId: string) => string | undefined
}

/**
 * What finishes records of a dataset that links to cases: the links lead to the real ones, and a record
 * that links to a project of its own has that of its case, unless it names one.
 */
export function linkFinisher(
  dataset: Dataset,
  { realCases, projectOf }: CaseFacts,
): (document: JsonObject) => void {
  const { links } = physicalOf(dataset)
  const cases = links.filter((link) => link.dataset === 'cases').map(({ idAt }) => idAt.split('.'))
  const projects = dataset.mounts.flatMap((mount) =>
    mount.kind === 'link' && mount.dataset === 'projects' && !mount.at.includes('.') ? [mount] : [],
  )
  // Then there is nothing that a link could be changed to.
  if (projects.length === 0 && realCases.size === 0) return () => undefined
  return (document) => {
    const caseIds = cases.flatMap((path) => realIds(document, path, realCases))
    const project = caseIds.map(projectOf).find((each) => each !== undefined)
    if (project === undefined) return
    for (const { at, by } of projects) fillAbsent(document, at, { [by]: project })
  }
}

/** Puts real ids in the place of made ones at a path; gives all ids that are there then. */
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
