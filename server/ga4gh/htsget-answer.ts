import { z } from '@hono/zod-openapi'
import type { FileLink, HtsgetTicket, TicketPart } from '../../engine/commons/index.ts'

/** A part of an answer, as the interface has it. */
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

/** The version that a client knows: htsget of this major version is all alike to it. */
const ACCEPTED = /application\/vnd\.ga4gh\.htsget\.v(1\.\d{1,3}\.\d{1,3})\+json/i
const VERSION = '1.3.0'

/** @example contentType('application/vnd.ga4gh.htsget.v1.2.0+json') // '…v1.2.0+json; charset=utf-8' */
export function contentType(accept: string | null): string {
  const version = ACCEPTED.exec(accept ?? '')?.[1] ?? VERSION
  return `application/vnd.ga4gh.htsget.v${version}+json; charset=utf-8`
}

/** The text of an answer; clients know it by how it begins. */
export function ticketText(ticket: HtsgetTicket, origin: string): string {
  const { format, parts, md5, link } = ticket
  const urls =
    parts === 'whole' ? [linkUrl(link, origin)] : parts.map((part) => partUrl(part, link, origin))
  return JSON.stringify({ htsget: { format, urls, ...(md5 === undefined ? {} : { md5 }) } })
}

function partUrl(part: TicketPart, link: FileLink | undefined, origin: string): HtsgetUrl {
  const named = part.isHeader ? 'header' : 'body'
  if (part.kind === 'made') {
    // Without a type: the compliance suite of the interface knows no other beginning.
    return { url: `data:;base64,${Buffer.from(part.bytes).toString('base64')}`, class: named }
  }
  const { url, headers } = linkUrl(link, origin)
  const Range = `bytes=${part.start}-${part.end - 1}`
  return { url, headers: { ...headers, Range }, class: named }
}

function linkUrl(link: FileLink | undefined, origin: string): HtsgetUrl {
  if (!link) throw new Error('a ticket with ranges has a link')
  const url = `${origin}/data/${link.fileId}`
  return link.ticket === undefined ? { url } : { url, headers: { 'X-Ticket': link.ticket } }
}
