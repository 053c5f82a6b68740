import type { Principal } from '../../../engine/shared/access/principal.ts'
import type { Submission } from '../../../engine/submission/transactions/submission.ts'
import type { ServedEngine } from '../../../server/app.ts'
import type { Config } from '../../../server/config.ts'
import { fakeApp } from '../../commons/contract/fake-engine.ts'
import { ADMIN, type UploadBody } from './service.ts'

interface Sent {
  readonly body?: unknown
  /** The content type; by default, JSON has none, as with many clients. */
  readonly type?: string
  /** The user whose token is sent; null for none; an unknown name for an invalid token. */
  readonly as?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON of the answer; empty if it is not JSON. */
  readonly body: HeardBody
}

/** Members of any answer; tests check which of them exist. */
export interface HeardBody extends UploadBody {
  readonly error?: string
  readonly links?: readonly string[]
}

/** The interface over HTTP, within the process, with a real submission service. */
export class ServedSubmission {
  readonly lines: readonly string[]
  readonly ask: (method: string, path: string, sent?: Sent) => Promise<Heard>
  /** Users by the secret of their token. */
  readonly #known = new Map<string, Principal>([['admin', ADMIN]])

  /** @param more further parts of the engine that are real */
  constructor(
    submission: Submission,
    overrides: Partial<Config> = {},
    more: Partial<ServedEngine['submission']> = {},
  ) {
    const credentials = { verify: async (secret: string) => this.#known.get(secret) }
    const { app, lines } = fakeApp(overrides, (engine) => ({
      ...engine,
      submission: { ...engine.submission, transactions: submission, credentials, ...more },
    }))
    this.lines = lines
    this.ask = async (method, path, { body, type, as = 'admin', headers = {} } = {}) => {
      const response = await app.request(path, {
        method,
        headers: {
          ...(as === null ? {} : { 'X-Auth-Token': as }),
          ...(type === undefined ? {} : { 'Content-Type': type }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: bytesOf(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type') === 'application/json' && text !== ''
      const { status, headers: heard } = response
      return { status, headers: heard, text, body: isJson ? JSON.parse(text) : {} }
    }
  }

  /** Gives a user a token equal to the name. */
  know(name: string, roles: Readonly<Record<string, readonly string[]>>): void {
    this.#known.set(name, { user: name, admin: false, projects: new Map(Object.entries(roles)) })
  }
}

/** Bytes, because a request with a string gets a content type. */
function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return Uint8Array.from(body)
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}
