/** The cookies of one browser, and its walk from page to page, without a browser. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>()

  /** The cookies that a host has set. */
  cookies(address: string): ReadonlyMap<string, string> {
    return this.#cookies.get(new URL(address).host) ?? new Map()
  }

  setCookie(address: string, name: string, value: string): void {
    const { host } = new URL(address)
    const cookies = this.#cookies.get(host) ?? new Map<string, string>()
    cookies.set(name, value)
    this.#cookies.set(host, cookies)
  }

  /** Sends one request. Redirects are not followed. */
  async ask(address: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    const sent = Array.from(this.cookies(address), ([name, value]) => `${name}=${value}`)
    if (sent.length > 0) headers.set('Cookie', sent.join('; '))
    const response = await fetch(address, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim())
      const equals = pair.indexOf('=')
      const isEnd = attributes.some((one) => /^(max-age=0|expires=Thu, 01 Jan 1970.*)$/i.test(one))
      const value = isEnd ? '' : pair.slice(equals + 1)
      this.setCookie(address, pair.slice(0, equals), value)
      if (value === '') this.#cookies.get(new URL(address).host)?.delete(pair.slice(0, equals))
    }
    return response
  }

  /** Follows redirects until one leads to an address that `stops`, or there is none. Returns the last response. */
  async follow(
    address: string,
    init: RequestInit = {},
    stops: (address: string) => boolean = () => false,
  ): Promise<{ readonly at: string; readonly response: Response; readonly next?: string }> {
    let at = address
    let response = await this.ask(at, init)
    for (let steps = 0; steps < 20; steps++) {
      const location = response.headers.get('location')
      if (location === null || response.status < 300 || response.status > 399)
        return { at, response }
      const next = new URL(location, at).href
      if (stops(next)) return { at, response, next }
      await response.body?.cancel()
      at = next
      response = await this.ask(at)
    }
    throw new Error(`too many redirects from ${address}`)
  }

  /** Submits the log-in form of the test provider, to which a redirect has led. */
  async logIn(form: string, account: string, stops?: (address: string) => boolean) {
    const body = new URLSearchParams({ account })
    return this.follow(form, { method: 'POST', body }, stops)
  }
}
