import type { Principal } from '../../../engine/shared/access/tokens.ts'
import type { Submission } from '../../../engine/submission/transactions/submission.ts'
import type { ServedEngine } from '../../../server/app.ts'
import type { Config } from '../../../server/config.ts'
import { fakeApp } from '../../commons/contract/fake-engine.ts'
import { ADMIN, type UploadBody } from './service.ts'

interface Sent {
  readonly body?: unknown
  /** The content type; JSON has none here, as with many clients. */
  readonly type?: string
  /** Whose token; null for none, or a secret that nobody has. */
  readonly as?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Of a JSON answer; empty where it is no JSON. */
  readonly body: HeardBody
}

/** Whatever there may be in one; which members there are is for tests to say. */
export interface HeardBody extends UploadBody {
  readonly error?: string
  readonly links?: readonly string[]
}

/** The interface over HTTP, in process, with a real service of submission behind it. */
export class ServedSubmission {
  readonly lines: readonly string[]
  readonly ask: (method: string, path: string, sent?: Sent) => Promise<Heard>
  /** Who has which token, by its secret. */
  readonly #known = new Map<string, Principal>([['admin', ADMIN]])

  /** @param more of the engine that is to be the real one, too */
  constructor(
    submission: Submission,
    overrides: Partial<Config> = {},
    more: Partial<ServedEngine['submission']> = {},
  ) {
    const tokens = { verify: async (secret: string) => this.#known.get(secret) }
    const { app, lines } = fakeApp(overrides, (engine) => ({
      ...engine,
      submission: { ...engine.submission, transactions: submission, tokens, ...more },
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

  /** Gives somebody a token, which is the name. */
  know(name: string, roles: Readonly<Record<string, readonly string[]>>): void {
    this.#known.set(name, { user: name, admin: false, projects: new Map(Object.entries(roles)) })
  }
}

/** Bytes, since a request of text would get a content type of its own. */
function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return Uint8Array.from(body)
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}
