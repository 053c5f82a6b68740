import { z } from '@hono/zod-openapi'
import type { FileLink, HtsgetKind, HtsgetTicket, TicketPart } from '../../engine/commons/index.ts'
import { blocksQueries } from './htsget-blocks.ts'
import { presignedUrl } from './presigned-url.ts'

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

/** Whom the answer is for. */
interface Asker {
  /** The address of this service, as it was asked. */
  readonly origin: string
  /** Whether a page of a browser asks. */
  readonly isPage: boolean
  /** What was asked for. */
  readonly kind: HtsgetKind
}

/** The text of an answer; clients know it by how it begins. */
export function ticketText(ticket: HtsgetTicket, asker: Asker): string {
  const { format, parts, md5, link } = ticket
  const urls =
    parts === 'whole'
      ? [linkUrl(link, asker)]
      : parts.flatMap((part) => partUrls(part, link, asker))
  return JSON.stringify({ htsget: { format, urls, ...(md5 === undefined ? {} : { md5 }) } })
}

function partUrls(
  part: TicketPart,
  link: FileLink | undefined,
  asker: Asker,
): readonly HtsgetUrl[] {
  const named = part.isHeader ? 'header' : 'body'
  if (part.kind === 'made') {
    // Without a type: the compliance suite of the interface knows no other beginning.
    return [{ url: `data:;base64,${Buffer.from(part.bytes).toString('base64')}`, class: named }]
  }
  if (part.kind === 'blocks') {
    const address = `${asker.origin}/${asker.kind}/${link?.fileId}/blocks`
    const headers = ticketHeader(link)
    return blocksQueries(part).map((query) => ({
      ...{ url: `${address}?${query}`, headers, class: named },
    }))
  }
  const { url, headers } = linkUrl(link, asker)
  const Range = `bytes=${part.start}-${part.end - 1}`
  return [{ url, headers: { ...headers, Range }, class: named }]
}

function linkUrl(link: FileLink | undefined, { origin, isPage }: Asker): HtsgetUrl {
  if (!link) throw new Error('a ticket with ranges has a link')
  if (link.presigned) return presignedUrl(link.presigned, isPage)
  return { url: `${origin}/data/${link.fileId}`, headers: ticketHeader(link) }
}

/** Never left out: htsjdk fails without. */
const ticketHeader = (link: FileLink | undefined): Readonly<Record<string, string>> =>
  link?.ticket === undefined ? {} : { 'X-Ticket': link.ticket }
