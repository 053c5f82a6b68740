import type { JsonObject } from '../../shared/input/json-value.ts'
import type { ProjectToRelease } from '../transactions/store/projects.ts'

/** Builds the record of a project from its registration. Further fields are derived from its cases. */
export function projectRecord(project: ProjectToRelease): JsonObject {
  const { projectId, program, programId, programAccession, code, properties } = project
  const { name, dbgap_accession_number: accession } = properties
  return {
    project_id: projectId,
    code,
    ...textsOf({ name, registry_accession_number: accession }),
    // The dictionary has single texts, while records have lists.
    ...listsOf({ primary_site: properties.primary_site, disease_type: properties.disease_type }),
    released: true,
    releasable: true,
    // All submissions are released, so the project is open for the next batch.
    state: 'open',
    program: {
      program_id: programId,
      name: program,
      ...textsOf({ registry_accession_number: programAccession }),
    },
  }
}

function textsOf(given: Readonly<Record<string, unknown>>): JsonObject {
  const shown = Object.entries(given).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value] as const] : [],
  )
  return Object.fromEntries(shown)
}

function listsOf(given: Readonly<Record<string, unknown>>): JsonObject {
  const shown = Object.entries(textsOf(given)).map(([name, value]) => [name, [String(value)]])
  return Object.fromEntries(shown)
}
