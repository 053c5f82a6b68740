import { columnKey, linkKey } from '../../release/layout.ts'
import type { ArrayKey, ReleaseArrays } from '../../release/loaded.ts'
import { spelledText } from '../../release/spelling.ts'
import { projectsOf } from './projects.ts'

/** Names of a case in a response. */
export interface CaseName {
  readonly case_id: string
  readonly submitter_id: string | null
  readonly project_id: string | null
}

export const CASE_NAME_KEYS: readonly ArrayKey[] = Object.freeze([
  linkKey('cases', 'project'),
  columnKey('projects', 'project_id'),
  columnKey('cases', 'case_id'),
  columnKey('cases', 'submitter_id'),
])

/** Returns a function that names the case of a row. The arrays must have been loaded with CASE_NAME_KEYS. */
export function namesOfCases(arrays: ReleaseArrays): (row: number) => CaseName {
  const ids = arrays.column('cases', 'case_id')?.dictionary
  const submitters = arrays.column('cases', 'submitter_id')
  const projects = projectsOf(arrays)
  const projectIds = arrays.column('projects', 'project_id')?.dictionary
  return (row) => {
    const [code, project] = [submitters?.codes?.[row] ?? 0, projects.of(row)]
    return {
      case_id: ids?.text(row + 1) ?? '',
      submitter_id: submitters && code > 0 ? spelledText(submitters, code) : null,
      project_id: project > 0 ? (projectIds?.text(project) ?? null) : null,
    }
  }
}
