/** Access rule for the bytes of a file, from one record or one catalogue entry. */
export interface Guard {
  readonly isOpen: boolean
  /** Project ids or access-list names. A reading role in any one of them is enough. */
  readonly anyOf: readonly string[]
  /**
   * Project ids. If `anyOf` does not match, a reading role in every one of them is required. If both lists
   * are empty, only administrators have access.
   */
  readonly allOf: readonly string[]
  /**
   * Lists of consent codes: that of the file, or else those of the projects of its cases. They add to the rights, if
   * enforced. Each list must be met by itself, because what one donor permits says nothing about another.
   */
  readonly consent: readonly (readonly string[])[]
}

/** A project with the accessions that access lists may use instead of its id. */
export interface GuardedProject {
  readonly id: string
  readonly accessions: readonly string[]
  readonly consent: readonly string[]
}

/** Access fields of a record, not yet validated. */
export interface Guarded {
  readonly access: unknown
  readonly acl: unknown
  readonly consent: unknown
  /** Projects of the file's cases, or `undefined` if one of the cases is unknown. */
  readonly projects: readonly GuardedProject[] | undefined
}

export const OPEN: Guard = Object.freeze({ isOpen: true, anyOf: [], allOf: [], consent: [] })

/**
 * Builds the guard of a record (data-commons.md 5.3, 11.1). A record is controlled unless it states that it is
 * open. The access list may name project ids, or the registry accession of a project or its program. If the
 * list is empty, the reader needs every project of the file's cases.
 */
export function guardOf({ access, acl, consent: own, projects }: Guarded): Guard {
  if (isOpen(access)) return OPEN
  const consent = codesOf(own, projects)
  const names = [acl]
    .flat()
    .filter((name) => typeof name === 'string')
    .filter((name) => name.trim() !== '' && !isOpen(name))
  if (names.length === 0) {
    return {
      isOpen: false,
      anyOf: [],
      allOf: unique((projects ?? []).map(({ id }) => id)),
      consent,
    }
  }
  const folded = new Set(names.map(fold))
  const meant = (projects ?? []).filter(({ accessions }) =>
    accessions.some((accession) => folded.has(fold(accession))),
  )
  return {
    isOpen: false,
    anyOf: unique([...names, ...meant.map(({ id }) => id)]),
    allOf: [],
    consent,
  }
}

/** Returns the consent codes of a member of a record. */
export const consentOf = (value: unknown): readonly string[] =>
  [value].flat().filter((code) => typeof code === 'string')

/** Returns the codes of the file, or else those of each of its projects. */
function codesOf(own: unknown, projects: Guarded['projects']): Guard['consent'] {
  const codes = consentOf(own)
  if (codes.length > 0) return [codes]
  const lists = (projects ?? []).map(({ consent }) => consent).filter(({ length }) => length > 0)
  return [...new Map(lists.map((list) => [JSON.stringify(list), list])).values()]
}

export const isOpen = (access: unknown): boolean =>
  typeof access === 'string' && fold(access) === 'open'

const fold = (text: string) => text.trim().toLowerCase()
const unique = (texts: readonly string[]) => [...new Set(texts)]
