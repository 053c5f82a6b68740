import type { Guard } from '../../../shared/access/guards.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import type { DescribedFile } from '../records/described-files.ts'

/** What a catalogue row says of who may read a file. */
export type Rights = Pick<StoredFile, 'access' | 'acl' | 'partOf'>

/** Of a file that no record describes and that has no reader: for administrators alone. */
const CLOSED: Rights = { access: 'controlled', acl: [], partOf: null }

export interface GivenRights {
  readonly access?: 'open' | 'controlled' | undefined
  /** Ids of projects whose members may read it when it is controlled. */
  readonly projects?: readonly string[] | undefined
}

/**
 * Rights as the records have them (data-commons.md 5.3, 11.1): of the file's own record and of those that
 * list it, the first one that is controlled decides. Without any record, what was given.
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

/** Whether nobody but an administrator may read what has these rights. */
export function isForNobody({ access, acl }: Pick<Rights, 'access' | 'acl'>): boolean {
  return access === 'controlled' && acl.length === 0
}

/** The same of what records say of a file. */
export function areForNobody(guards: readonly Guard[]): boolean {
  return guards.some(
    ({ isOpen, anyOf, allOf }) => !isOpen && anyOf.length === 0 && allOf.length === 0,
  )
}

function givenRights({ access, projects = [] }: GivenRights): Rights {
  if (access === 'open') return { ...CLOSED, access }
  return { ...CLOSED, acl: [...projects] }
}

/** Of several projects all would have to be passed, which a list of names cannot say: then none. */
function namedBy({ anyOf, allOf }: Guard): readonly string[] {
  if (anyOf.length > 0) return anyOf
  return allOf.length === 1 ? allOf : []
}
