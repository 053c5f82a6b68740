import { fileURLToPath } from 'node:url'

/** Public data beside the checkout. */
export const SHARED = fileURLToPath(new URL('../../../../shared/data/', import.meta.url))
