import type { TableSet } from '../database/migrations.ts'
import { CODE_TABLES } from './migrations/codes.ts'
import { MULTIPLE_PRIMARIES } from './migrations/multiple-primaries.ts'
import { NAACCR, NAACCR_DICTIONARIES } from './migrations/naaccr.ts'
import { PUBLISHING } from './migrations/publishing.ts'
import { STAGING } from './migrations/staging.ts'
import { SURGERY } from './migrations/surgery.ts'

/** Registry tables of a PostgreSQL database. A schema change needs a step both here and in state.ts. */
export const REGISTRY_TABLES: TableSet = Object.freeze({
  name: 'registry',
  steps: Object.freeze([
    STAGING,
    MULTIPLE_PRIMARIES,
    PUBLISHING,
    CODE_TABLES,
    SURGERY,
    NAACCR,
    NAACCR_DICTIONARIES,
  ]),
})
