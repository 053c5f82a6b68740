/** The person who is logged in. */
export interface Person {
  readonly username: string
  readonly projects: {
    /** Roles, keyed by project id. */
    readonly gdc_ids: Readonly<Record<string, readonly string[]>>
  }
}

/** A token that the person has made, without its secret. */
export interface OwnToken {
  readonly id: string
  readonly name: string
  readonly read_only: boolean
  /** Ids of projects, or null for all of the person. */
  readonly projects: readonly string[] | null
  readonly created_datetime: string
  readonly expires_datetime: string
}
