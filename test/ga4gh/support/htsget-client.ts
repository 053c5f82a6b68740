/** An answer of htsget. */
export interface Ticket {
  readonly htsget: {
    readonly format: string
    readonly md5?: string
    readonly urls: readonly TicketUrl[]
  }
}

interface TicketUrl {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly class?: 'header' | 'body'
}

type Fetch = (
  url: string,
  init: { readonly headers: Readonly<Record<string, string>> },
) => Promise<Response>

/** Resolves a ticket as clients do: fetches all parts at once and concatenates them in order. */
export async function bytesOfTicket({ htsget }: Ticket, fetchFrom: Fetch = fetch): Promise<Buffer> {
  return Buffer.concat(await Promise.all(htsget.urls.map((part) => bytesOfUrl(part, fetchFrom))))
}

async function bytesOfUrl({ url, headers = {} }: TicketUrl, fetchFrom: Fetch): Promise<Buffer> {
  const [, inline] = /^data:;base64,(.*)$/s.exec(url) ?? []
  if (inline !== undefined) return Buffer.from(inline, 'base64')
  const response = await fetchFrom(url, { headers })
  const wanted = headers.Range === undefined ? 200 : 206
  if (response.status !== wanted) throw new Error(`${response.status}: ${await response.text()}`)
  return Buffer.from(await response.arrayBuffer())
}
