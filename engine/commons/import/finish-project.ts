import { fillAbsent, type Json, type JsonObject } from '../../shared/input/json-value.ts'

/** What the cases of a project say together. */
export interface ProjectFacts {
  readonly summary: JsonObject
  readonly hasFiles: boolean
  /** Distinct values in ascending order. */
  readonly primarySites: readonly string[]
  readonly diseaseTypes: readonly string[]
  /** Every case has the same disease type. */
  readonly isOneDisease: boolean
}

/** Members that were made of others' and are made again at the next import. */
export type DerivedMember = 'name' | 'primary_site' | 'disease_type'

/**
 * Fills in what the sources of a project left out.
 * @returns the names of what was made of its cases
 */
export function finishProject(
  project: JsonObject,
  id: string,
  facts: ProjectFacts | undefined,
): readonly DerivedMember[] {
  const derived: DerivedMember[] = []
  const fill = (name: DerivedMember, value: Json | undefined) => {
    if (project[name] !== undefined || value === undefined) return
    project[name] = value
    derived.push(name)
  }
  const diseases = facts?.diseaseTypes ?? []
  fill('name', facts?.isOneDisease ? diseases[0] : id)
  fill('primary_site', facts?.primarySites)
  fill('disease_type', diseases)
  fillAbsent(project, 'released', true)
  fillAbsent(project, 'releasable', true)
  fillAbsent(project, 'state', 'open')
  // A project's id begins with the name of its program.
  const program = /^([A-Za-z0-9]+)-/.exec(id)?.[1]
  if (program !== undefined) fillAbsent(project, 'program', { name: program })
  // What a source says of files that the release does not have stays.
  if (facts?.hasFiles || !Object.hasOwn(project, 'summary')) {
    project.summary = facts?.summary ?? { case_count: 0, file_count: 0, file_size: 0 }
  }
  return derived
}
