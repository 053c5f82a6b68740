import { fillAbsent, type Json, type JsonObject } from '../../shared/input/json-value.ts'

/** Facts about a project, computed from its cases. */
export interface ProjectFacts {
  readonly summary: JsonObject
  readonly hasFiles: boolean
  /** Distinct values in ascending order. */
  readonly primarySites: readonly string[]
  readonly diseaseTypes: readonly string[]
  /** Whether every case has the same disease type. */
  readonly isOneDisease: boolean
}

/** Members that are derived from the id or the cases. The next import derives them again. */
export type DerivedMember = 'name' | 'primary_site' | 'disease_type'

/**
 * Fills in members of a project that its sources left out.
 * @returns the names of the derived members
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
  // A project id begins with the name of its program.
  const program = /^([A-Za-z0-9]+)-/.exec(id)?.[1]
  if (program !== undefined) fillAbsent(project, 'program', { name: program })
  // A summary from a source is kept if the release has no files of the project.
  if (facts?.hasFiles || !Object.hasOwn(project, 'summary')) {
    project.summary = facts?.summary ?? { case_count: 0, file_count: 0, file_size: 0 }
  }
  return derived
}
