import { EngineError } from '../errors.ts'
import { consentLabel, unmetConsent } from './consent.ts'
import { READING_ROLES } from './grants.ts'
import type { Guard } from './guards.ts'
import type { Principal } from './principal.ts'

/** First words of the error messages for file bytes and expression values (data-commons.md 5.3). */
export const NO_ACCESS = "You don't have access to the data"

/** A file with the access rules of its bytes. A caller must satisfy all rules. */
export interface GuardedFile {
  readonly id: string
  readonly guards: readonly Guard[]
}

/** Returns whether anyone may read the file. A file without access rules is closed. */
export function isOpenFile({ guards }: Pick<GuardedFile, 'guards'>): boolean {
  return guards.length > 0 && guards.every(({ isOpen }) => isOpen)
}

/**
 * Checks that the caller may read a file's bytes. An open file needs no token and ignores an invalid one. A
 * controlled file needs an administrator, or the reading roles that its guards require.
 * @param principal owner of the token, or undefined if there is no valid token
 * @param tokenGiven whether a token was sent; an empty token counts as none
 * @throws EngineError `unauthenticated` or `forbidden`. Clients show these messages to people, so their
 * wording is that of data-commons.md 5.3.
 */
export function authorise(
  file: GuardedFile,
  principal: Principal | undefined,
  tokenGiven: boolean,
): void {
  if (isOpenFile(file)) return
  if (!principal) throw noPrincipal(tokenGiven)
  if (!hasRights(file, principal)) throw new EngineError('forbidden', rejection(file.id))
  const unmet = unmetBy(file, principal)
  if (unmet.length > 0)
    throw new EngineError('forbidden', `${rejection(file.id)}: ${whyNot(unmet)}`)
}

/** Returns whether the caller satisfies the access rules. Without rules, only administrators do. */
export function mayRead(
  { guards }: Pick<GuardedFile, 'guards'>,
  principal: Principal | undefined,
): boolean {
  if (isOpenFile({ guards })) return true
  return (
    principal !== undefined &&
    hasRights({ guards }, principal) &&
    unmetBy({ guards }, principal).length === 0
  )
}

function hasRights({ guards }: Pick<GuardedFile, 'guards'>, principal: Principal): boolean {
  if (principal.admin) return true
  return guards.length > 0 && guards.every((guard) => passes(guard, principal))
}

/** Returns the consent codes that the principal's purposes do not meet. Administrators need no purpose. */
function unmetBy(
  { guards }: Pick<GuardedFile, 'guards'>,
  { admin, ignoresConsent, purposes = [] }: Principal,
): readonly string[] {
  if (admin || ignoresConsent) return []
  return guards.flatMap(({ isOpen, consent }) =>
    isOpen ? [] : consent.flatMap((codes) => unmetConsent(codes, purposes)),
  )
}

/** Returns the text that tells a user which conditions of consent their token does not meet. */
const whyNot = (unmet: readonly string[]): string =>
  `your token states no purpose or condition that meets the consent codes ${[...new Set(unmet)].map(consentLabel).join(', ')}`

/** Returns whether the caller has any role in the project, and may therefore know that it exists. */
export function mayKnow({ admin, projects }: Principal, projectId: string): boolean {
  return admin || (projects.get(projectId)?.length ?? 0) > 0
}

/** Creates the error for a request that has no token, or an invalid one. */
export function noPrincipal(tokenGiven: boolean): EngineError {
  return new EngineError(
    'unauthenticated',
    tokenGiven
      ? 'Your token is invalid or expired. Please get a new token.'
      : `${NO_ACCESS}: Please specify a X-Auth-Token`,
  )
}

/** Creates the error for a file that the caller may read but that has no stored bytes (data-commons.md 11.32). */
export function notStored(id: string): EngineError {
  return new EngineError('not_found', `file ${id} is known, but its bytes are not stored here`)
}

const rejection = (id: string) => `${NO_ACCESS}: Requested file ${id} does not allow read access`

function passes({ isOpen, anyOf, allOf }: Guard, { projects }: Principal): boolean {
  const mayRead = (project: string) =>
    projects.get(project)?.some((role) => READING_ROLES.some((reading) => reading === role)) ??
    false
  return isOpen || anyOf.some(mayRead) || (allOf.length > 0 && allOf.every(mayRead))
}
