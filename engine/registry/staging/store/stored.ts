import type { Entity, EntityOf, Kind, VersionName } from './entities.ts'
import type { Role } from './roles.ts'

// The stored form of staging data.

export interface StoredAlgorithm {
  readonly algorithm: string
  readonly name: string | null
  readonly description: string | null
}

export const VERSION_TYPES = ['PRODUCTION', 'BETA', 'DEVELOPMENT'] as const
export type VersionType = (typeof VERSION_TYPES)[number]

export interface StoredVersion extends VersionName {
  readonly type: VersionType
  readonly naaccrVersion: string | null
  /** Roles that may see the version. If the list is empty, all callers may see it. */
  readonly viewRoles: readonly Role[]
  /**
   * Roles that may edit the content. A caller needs one of them, in addition to the role that the operation
   * needs. If the list is empty, only the latter is needed.
   */
  readonly editRoles: readonly Role[]
  readonly lastModified: string
  /** Changes with every edit of the version or its content. */
  readonly revision: number
}

/** The members of a schema or table that a list shows. */
export interface StoredProjection {
  readonly id: string
  readonly name: string | null
  readonly title: string | null
  readonly schema_num: number | null
}

export interface StoredEntity<K extends Kind = Kind> {
  readonly revision: number
  readonly entity: EntityOf[K]
}

export interface NewHistory {
  readonly kind: Kind
  readonly id: string
  readonly date: string
  readonly user: string
  readonly comment?: string | undefined
  readonly old?: Entity | undefined
  readonly new?: Entity | undefined
}

/** A history entry. `old` and `new` are JSON texts of the entity before and after the change. */
export interface StoredHistory {
  /** Number within the version, starting at 1. */
  readonly number: number
  readonly id: string
  readonly type: 'ADD' | 'MOD' | 'DEL'
  readonly date: string
  readonly user: string
  readonly comment: string | null
  readonly old: string | null
  readonly new: string | null
}

export interface HistorySpan {
  readonly kind: Kind
  readonly id?: string | undefined
  readonly order: 'ASC' | 'DESC'
  readonly limit: number
  readonly offset: number
}
