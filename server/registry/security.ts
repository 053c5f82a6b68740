import {
  type Caller,
  EngineError,
  hasRole,
  type KeyStore,
  type Role,
} from '../../engine/shared/index.ts'
import { sentKey } from '../http/token.ts'

export const KEY_HEADER = 'X-SEERAPI-Key'

/** Security schemes of this interface (registry-service.md 5, registry.md 1.1). */
export const registrySecurity = Object.freeze({
  apiKeyScheme: {
    type: 'apiKey',
    in: 'header',
    name: KEY_HEADER,
    description: 'A key of `casemill key create`.',
  } as const,
})

/**
 * Returns the caller by the key of the request.
 * @throws EngineError `unauthenticated`; `forbidden` without the required role
 */
export async function authorise(
  headers: Headers,
  keys: Pick<KeyStore, 'verify'>,
  needed: Role | undefined,
): Promise<Caller> {
  const secret = sentKey(headers)
  if (secret === undefined) {
    throw new EngineError(
      'unauthenticated',
      'no key was sent; give one in the header X-SEERAPI-Key',
    )
  }
  const caller = await keys.verify(secret)
  if (caller === undefined) {
    throw new EngineError('unauthenticated', 'the key in the header X-SEERAPI-Key is not valid')
  }
  if (needed !== undefined && !hasRole(caller, needed)) {
    throw new EngineError('forbidden', `this needs the role ${needed}, which the key does not have`)
  }
  return caller
}
