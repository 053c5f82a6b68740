/** Kinds of credentials: an access token, the session of a browser, or a JWT of an issuer. */
export type CredentialKind = 'token' | 'session' | 'jwt'

/** Names a credential without its secret, for tickets and records of access. */
export interface Credential {
  readonly kind: CredentialKind
  /** Public id: 16 hexadecimal digits of a token or session, 32 of a JWT. */
  readonly id: string
}

/** The owner of a credential, with their rights at the time of the request. */
export interface Principal {
  readonly user: string
  readonly admin: boolean
  /** Roles, keyed by project id. */
  readonly projects: ReadonlyMap<string, readonly string[]>
  /** Stated purposes and accepted conditions in their usual form (purposeCode). Absent if there are none. */
  readonly purposes?: readonly string[] | undefined
  /** Whether consent codes are only shown. If absent, controlled data need purposes that meet their codes. */
  readonly ignoresConsent?: boolean
  /** Credential that the rights come from. Absent for a command of the operator. */
  readonly credential?: Credential | undefined
}
