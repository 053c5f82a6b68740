/** What one record, or one row of the catalogue, asks of who reads bytes that it speaks of. */
export interface Guard {
  readonly isOpen: boolean
  /** Projects, or names of an access list: a reading role on one of them is enough. */
  readonly anyOf: readonly string[]
  /** Projects: else a reading role on every one of them. Empty: administrators alone. */
  readonly allOf: readonly string[]
}

/** A project, and the names that access lists give it beside its id. */
export interface GuardedProject {
  readonly id: string
  readonly accessions: readonly string[]
}

/** What a guard is made of, as records have it: nothing of it is known to be well-formed. */
export interface Guarded {
  readonly access: unknown
  readonly acl: unknown
  /** Of the file's cases; `undefined` when one of them is not known. */
  readonly projects: readonly GuardedProject[] | undefined
}

export const OPEN: Guard = Object.freeze({ isOpen: true, anyOf: [], allOf: [] })

/**
 * The guard of a record (data-commons.md 5.3, 11.1). Closed unless it says that it is open. Who is on the
 * access list reads: by a project's id, or by the registry accession of a project or its program. A
 * list that names nobody leaves it to the projects of the file's cases, all of them.
 */
export function guardOf({ access, acl, projects }: Guarded): Guard {
  if (isOpen(access)) return OPEN
  const names = [acl]
    .flat()
    .filter((name) => typeof name === 'string')
    .filter((name) => name.trim() !== '' && !isOpen(name))
  if (names.length === 0) {
    return { isOpen: false, anyOf: [], allOf: unique((projects ?? []).map(({ id }) => id)) }
  }
  const folded = new Set(names.map(fold))
  const meant = (projects ?? []).filter(({ accessions }) =>
    accessions.some((accession) => folded.has(fold(accession))),
  )
  return { isOpen: false, anyOf: unique([...names, ...meant.map(({ id }) => id)]), allOf: [] }
}

export const isOpen = (access: unknown): boolean =>
  typeof access === 'string' && fold(access) === 'open'

const fold = (text: string) => text.trim().toLowerCase()
const unique = (texts: readonly string[]) => [...new Set(texts)]
