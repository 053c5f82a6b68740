import { EngineError } from '../errors.ts'
import type { StoredFile } from '../store/files.ts'
import { READING_ROLES } from './grants.ts'
import type { Principal } from './tokens.ts'

/**
 * Lets pass who may read a file's bytes. Open files need nothing, not even a good token; controlled
 * ones an administrator or someone with a reading role on the file's project.
 *
 * @param principal whom the token that was sent belongs to, if it is good
 * @param tokenGiven whether a token was sent at all; an empty one is none
 * @throws EngineError `unauthenticated` or `forbidden`. The texts are those of the interface
 *   (contract 5.3), which clients show to people, and so not in our usual form.
 */
export function authorise(
  file: Pick<StoredFile, 'id' | 'access' | 'project'>,
  principal: Principal | undefined,
  tokenGiven: boolean,
): void {
  if (file.access === 'open') return
  if (!principal) {
    throw new EngineError(
      'unauthenticated',
      tokenGiven
        ? 'Your token is invalid or expired. Please get a new token.'
        : "You don't have access to the data: Please specify a X-Auth-Token",
    )
  }
  if (principal.admin) return
  const roles = file.project === null ? undefined : principal.projects.get(file.project)
  if (roles?.some((role) => READING_ROLES.some((reading) => reading === role))) return
  throw new EngineError(
    'forbidden',
    `You don't have access to the data: Requested file ${file.id} does not allow read access`,
  )
}
