// What only this package's own server and command line use; no part of the library.

export { KeyStore } from './access/keys.ts'
export { TokenStore } from './access/tokens.ts'
export { GeneModel } from './catalogue/genes.ts'
export { NotificationStore } from './catalogue/notifications.ts'
export type { Database } from './database/database.ts'
export { descriptorShortage } from './descriptors.ts'
export { checkJsonBounds, MAX_PARAMETER_VALUES } from './input/json-bounds.ts'
export { jsonFault } from './input/json-fault.ts'
export { requireParameter } from './input/required-parameter.ts'
export { isObject } from './input/unknowns.ts'
export type { HeldRevisions } from './revision.ts'
export { unlessAbsent } from './unless-absent.ts'
