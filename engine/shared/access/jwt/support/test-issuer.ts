import { KeyObject, sign } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose'

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']

/** An issuer in memory, whose tokens are signed by `jose`. It counts what is fetched from it. */
export class TestIssuer {
  readonly url: string
  /** Keys in its published set. */
  readonly published: JWK[] = []
  fetches: string[] = []
  /** What a fetch does before it answers. */
  before: (address: string) => Promise<void> = async () => {}
  /** What its configuration says. */
  configuration: Record<string, unknown>
  #signing: { readonly key: Key; readonly kid: string; readonly alg: string } | undefined

  constructor(url = 'https://login.example.org') {
    this.url = url
    this.configuration = { issuer: url, jwks_uri: `${url}/keys` }
  }

  readonly fetchDocument = async (address: string): Promise<unknown> => {
    this.fetches.push(address)
    await this.before(address)
    if (address === `${this.url}/.well-known/openid-configuration`) return this.configuration
    if (address === `${this.url}/keys`) return { keys: this.published }
    throw new Error(`there is nothing at ${address}`)
  }

  /** Signs with a new key from now on, and publishes it. */
  async rotate({ kid = `key-${this.published.length}`, alg = 'ES256', isPublished = true } = {}) {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
    this.#signing = { key: privateKey, kid, alg }
    const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
    if (isPublished) this.published.push(jwk)
    return jwk
  }

  /** Signs any header and text with its key for ES256, also those that `jose` refuses to sign. */
  async signText(header: object, text: string): Promise<string> {
    if (!this.#signing) await this.rotate()
    const { key, kid, alg } = this.#signing!
    const parts = [JSON.stringify({ alg, kid, ...header }), text]
    const head = parts.map((part) => Buffer.from(part).toString('base64url')).join('.')
    const by = { key: KeyObject.from(key), dsaEncoding: 'ieee-p1363' } as const
    return `${head}.${sign('sha256', Buffer.from(head), by).toString('base64url')}`
  }

  /** Signs claims for an hour from `now`, as a usual token. */
  async sign(
    claims: Readonly<Record<string, unknown>>,
    header: Partial<JWTHeaderParameters> = {},
  ): Promise<string> {
    if (!this.#signing) await this.rotate()
    const { key, kid, alg } = this.#signing!
    const usual = { iss: this.url, aud: 'casemill', sub: 'ada', iat: SECOND, exp: SECOND + 3600 }
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg, kid, ...header })
      .sign(key)
  }
}

/** 2026-01-01T00:00:00Z in seconds, at which usual tokens begin. */
export const SECOND = 1_767_225_600
