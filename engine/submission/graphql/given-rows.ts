import type { StoredRow } from './node-row.ts'

/** The submitted data that the rows of a query have, for the record of access. */
export interface GivenData {
  readonly entities: ReadonlySet<string>
  readonly projects: ReadonlySet<string>
}

export const NOTHING_GIVEN: GivenData = Object.freeze({
  entities: new Set<string>(),
  projects: new Set<string>(),
})

/** Collects the entities and projects of the rows that a query reads. */
export class GivenRows implements GivenData {
  readonly entities = new Set<string>()
  readonly projects = new Set<string>()

  /** Notes a row of entities, projects, transactions or their parts, or a number of them for a project. */
  add({ project_id: project, entity_id: entity, id, type, is_current: version }: StoredRow): void {
    if (typeof project === 'string') this.projects.add(project)
    if (typeof entity === 'string') this.entities.add(entity)
    // Only rows of nodes have versions. A node without a project is none of the submitted entities.
    if (version === undefined || typeof project !== 'string' || type === 'project') return
    this.entities.add(String(id))
  }
}
