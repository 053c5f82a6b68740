import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Public data beside the checkout. */
export const SHARED = fileURLToPath(new URL('../../../../shared/data/', import.meta.url))

/** Whether a folder of it is there; where REQUIRE_CLIENTS is set it must be. */
export function hasShared(folder: string): boolean {
  if (existsSync(join(SHARED, folder))) return true
  if (process.env.REQUIRE_CLIENTS === '1') throw new Error(`shared/data/${folder} is required`)
  return false
}
