import { randomBytes } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { cookieOf, setCookie } from '../http/cookies.ts'
import type { LoginSecrets } from './provider.ts'

/** Seconds for which a log-in may take at the institution. */
const SECONDS = 600
/** Longest value that is parsed. */
const MAX_LENGTH = 4096

const Kept = z.strictObject({
  state: z.string().regex(/^[\w-]{43}$/),
  nonce: z.string().regex(/^[\w-]{43}$/),
  verifier: z.string().regex(/^[\w-]{43}$/),
  next: z.string(),
})

/** A log-in that a browser has begun. */
interface BegunLogin extends LoginSecrets {
  /** Path of the page to which the browser goes afterwards. Check it before use: browsers send any text. */
  readonly next: string
}

/** Creates the secrets of a log-in, each of 256 random bits. */
export function beginLogin(next: string): BegunLogin {
  const secret = () => randomBytes(32).toString('base64url')
  return { state: secret(), nonce: secret(), verifier: secret(), next }
}

/**
 * The cookie that binds a log-in to the browser that began it. The service stores nothing until the institution
 * has vouched for the person.
 */
export class LoginCookie {
  readonly #isSecure: boolean
  readonly #name: string

  /** @param publicUrl origin of this service for browsers */
  constructor(publicUrl: string) {
    this.#isSecure = publicUrl.startsWith('https:')
    // Browsers accept the prefix only from this very host, so no other host of the site can plant the cookie.
    this.#name = this.#isSecure ? '__Host-casemill-login' : 'casemill-login'
  }

  set(begun: BegunLogin): string {
    const value = Buffer.from(JSON.stringify(begun)).toString('base64url')
    return setCookie(this.#name, value, { seconds: SECONDS, isSecure: this.#isSecure })
  }

  end(): string {
    return setCookie(this.#name, '', { seconds: 0, isSecure: this.#isSecure })
  }

  /** Returns the log-in that the browser has begun, or undefined if there is none. */
  read(headers: Headers): BegunLogin | undefined {
    const value = cookieOf(headers, this.#name)
    if (value === undefined || value.length > MAX_LENGTH) return undefined
    try {
      return Kept.parse(JSON.parse(Buffer.from(value, 'base64url').toString()))
    } catch {
      return undefined
    }
  }
}
