import type { Guard } from '../../../shared/access/guards.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import type { DescribedFile } from '../../files/records/described-files.ts'

/** Access rights in a catalogue row. */
export type Rights = Pick<StoredFile, 'access' | 'acl' | 'partOf'>

/** Rights of a file without a record and without named readers: only administrators may read it. */
const CLOSED: Rights = { access: 'controlled', acl: [], partOf: null }

export interface GivenRights {
  readonly access?: 'open' | 'controlled' | undefined
  /** Ids of projects whose members may read a controlled file. */
  readonly projects?: readonly string[] | undefined
}

/**
 * Returns the rights of a file from records (data-commons.md 5.3, 11.1). The first controlled record decides,
 * among the file's own record and the records that list the file. Without any record, the given rights apply.
 */
export function rightsOf(
  described: Pick<DescribedFile, 'guards' | 'owners'> | undefined,
  given: GivenRights = {},
): Rights {
  if (!described) return givenRights(given)
  const [partOf = null] = described.owners
  const closed = described.guards.find(({ isOpen }) => !isOpen)
  return closed
    ? { access: 'controlled', acl: namedBy(closed), partOf }
    : { access: 'open', acl: [], partOf }
}

/** Returns whether only administrators may read a file with these rights. */
export function isForNobody({ access, acl }: Pick<Rights, 'access' | 'acl'>): boolean {
  return access === 'controlled' && acl.length === 0
}

/** Returns whether only administrators may read a file with these guards. */
export function areForNobody(guards: readonly Guard[]): boolean {
  return guards.some(
    ({ isOpen, anyOf, allOf }) => !isOpen && anyOf.length === 0 && allOf.length === 0,
  )
}

function givenRights({ access, projects = [] }: GivenRights): Rights {
  if (access === 'open') return { ...CLOSED, access }
  return { ...CLOSED, acl: [...projects] }
}

/**
 * Returns the projects of a guard. A guard that requires several projects at once cannot be expressed as a list,
 * so none are returned.
 */
function namedBy({ anyOf, allOf }: Guard): readonly string[] {
  if (anyOf.length > 0) return anyOf
  return allOf.length === 1 ? allOf : []
}
