import { z } from '@hono/zod-openapi'
import type { FileLink, HtsgetKind, HtsgetTicket, TicketPart } from '../../engine/commons/index.ts'
import type { LoopTurns } from '../../engine/shared/index.ts'
import { writeJson } from '../../engine/shared/internal.ts'
import { blocksQueries } from './htsget-blocks.ts'
import { presignedUrl } from './presigned-url.ts'

/** Part of a ticket, as in the interface. */
export interface HtsgetUrl {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly class?: 'header' | 'body'
}

const urlShape = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()).optional(),
  class: z.enum(['header', 'body']).optional(),
})
export const ticketShape = z.object({
  htsget: z.object({ format: z.string(), urls: z.array(urlShape), md5: z.string().optional() }),
})

/** Matches the version that a client accepts. A client that accepts one 1.x version accepts all. */
const ACCEPTED = /application\/vnd\.ga4gh\.htsget\.v(1\.\d{1,3}\.\d{1,3})\+json/i
const VERSION = '1.3.0'

/**
 * Returns the content type of a ticket.
 * @example contentType('application/vnd.ga4gh.htsget.v1.2.0+json') // '…v1.2.0+json; charset=utf-8'
 */
export function contentType(accept: string | null): string {
  const version = ACCEPTED.exec(accept ?? '')?.[1] ?? VERSION
  return `application/vnd.ga4gh.htsget.v${version}+json; charset=utf-8`
}

/** Properties of a request, besides the file, that determine its ticket. */
interface TicketClient {
  /** Address of the service as the client sees it. */
  readonly origin: string
  /** Whether the client is a web page. */
  readonly isPage: boolean
  /** Kind of the requested data. */
  readonly kind: HtsgetKind
}

/** Serializes a ticket and yields to the event loop. Clients recognise a ticket by its first characters. */
export async function ticketText(
  { format, parts, md5, link }: HtsgetTicket,
  client: TicketClient,
  turns: LoopTurns,
): Promise<string> {
  const urls = parts === 'whole' ? [linkUrl(link, client)] : []
  for (const part of parts === 'whole' ? [] : parts) {
    await turns.pause()
    urls.push(...partUrls(part, link, client))
  }
  const ticket = { htsget: { format, urls, ...(md5 === undefined ? {} : { md5 }) } }
  return writeJson(ticket, turns)
}

function partUrls(
  part: TicketPart,
  link: FileLink | undefined,
  client: TicketClient,
): readonly HtsgetUrl[] {
  const named = part.isHeader ? 'header' : 'body'
  if (part.kind === 'made') {
    // The URL has no media type, because the htsget compliance suite accepts only this form.
    return [{ url: `data:;base64,${Buffer.from(part.bytes).toString('base64')}`, class: named }]
  }
  if (part.kind === 'blocks') {
    const address = `${client.origin}/${client.kind}/${link?.fileId}/blocks`
    const headers = ticketHeader(link)
    return blocksQueries(part).map((query) => ({
      url: `${address}?${query}`,
      headers,
      class: named,
    }))
  }
  const { url, headers } = linkUrl(link, client)
  const Range = `bytes=${part.start}-${part.end - 1}`
  return [{ url, headers: { ...headers, Range }, class: named }]
}

function linkUrl(link: FileLink | undefined, { origin, isPage }: TicketClient): HtsgetUrl {
  if (!link) throw new Error('a ticket with ranges has a link')
  if (link.presigned) return presignedUrl(link.presigned, isPage)
  return { url: `${origin}/data/${link.fileId}`, headers: ticketHeader(link) }
}

/** Returns the headers of a URL. They are present even if empty, because htsjdk fails without them. */
const ticketHeader = (link: FileLink | undefined): Readonly<Record<string, string>> =>
  link?.ticket === undefined ? {} : { 'X-Ticket': link.ticket }
