import type { Credential, CredentialKind, Principal } from './principal.ts'

/** Finds out who sent a request. */
export interface Authenticator {
  /**
   * Returns the owner of a secret. Returns undefined if the secret is unknown, expired or revoked. Accepts any
   * text, so that callers can pass header values unchecked.
   * @throws EngineError `unavailable` or `busy` if it cannot be verified now
   */
  verify(secret: string): Promise<Principal | undefined>
  /**
   * Returns the credential that a ticket names for the bearer of a secret, which must have been verified. It
   * makes sure that `bearer` knows the credential on every node.
   * @throws EngineError `unavailable` if it cannot be stored now
   */
  lend(secret: string): Promise<Credential | undefined>
  /**
   * Returns the owner of a valid credential without its secret, for tickets signed for its bearer.
   * @throws EngineError `unavailable` if it cannot be read now
   */
  bearer(credential: Credential): Promise<Principal | undefined>
}

/** One kind of credentials. */
export interface CredentialStore {
  readonly kind: CredentialKind
  /** Returns whether a text has the form of these secrets. No text has the form of two kinds. */
  accepts(secret: string): boolean
  verify(secret: string): Promise<Principal | undefined>
  /** Returns the id for tickets. Called with a secret that was accepted and verified. */
  lend(secret: string): Promise<string | undefined>
  bearer(id: string): Promise<Principal | undefined>
}

/** Verifies each credential with the store of its kind. The form of a secret tells its kind. */
export class Credentials implements Authenticator {
  readonly #stores: readonly CredentialStore[]
  readonly #ignoresConsent: boolean

  /** @param enforcesConsent whether the purposes of a principal must meet the consent codes of controlled data */
  constructor(stores: readonly CredentialStore[], enforcesConsent = false) {
    this.#stores = stores
    this.#ignoresConsent = !enforcesConsent
  }

  async verify(secret: string): Promise<Principal | undefined> {
    return this.#marked(await this.#storeOf(secret)?.verify(secret))
  }

  async lend(secret: string): Promise<Credential | undefined> {
    const store = this.#storeOf(secret)
    const id = await store?.lend(secret)
    return store && id !== undefined ? Object.freeze({ kind: store.kind, id }) : undefined
  }

  async bearer({ kind, id }: Credential): Promise<Principal | undefined> {
    for (const store of this.#stores) {
      // Tokens of the operator and of people are of one kind, and no two have the same id.
      const bearer = store.kind === kind ? await store.bearer(id) : undefined
      if (bearer) return this.#marked(bearer)
    }
    return undefined
  }

  #marked(principal: Principal | undefined): Principal | undefined {
    return principal && this.#ignoresConsent ? { ...principal, ignoresConsent: true } : principal
  }

  #storeOf(secret: unknown): CredentialStore | undefined {
    if (typeof secret !== 'string') return undefined
    return this.#stores.find((store) => store.accepts(secret))
  }
}
