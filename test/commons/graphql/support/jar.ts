import type { MadePortal } from './made-portal.ts'

/** A browser's cookies. */
export class Jar {
  readonly #portal: MadePortal
  readonly #cookies = new Map<string, string>()
  /** The last cookie received, with its attributes. */
  last: string | undefined

  constructor(portal: MadePortal) {
    this.#portal = portal
  }

  async ask(path: string, init: RequestInit = {}) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await this.#portal.request(path, {
      ...init,
      headers: { Host: 'localhost', ...init.headers, ...(cookie && { Cookie: cookie }) },
    })
    for (const line of response.headers.getSetCookie()) {
      this.last = line
      const [name = '', value = ''] = line.split(';', 1)[0]?.split('=') ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : text,
      text,
      headers: response.headers,
    }
  }

  save(path: string, body: unknown, method = 'POST') {
    const headers = { 'Content-Type': 'application/json' }
    return this.ask(path, { method, headers, body: JSON.stringify(body) })
  }
}
