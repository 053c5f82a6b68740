import { END_MARKER } from '../../../engine/shared/formats/bgzf.ts'
import type { NamedInterval } from '../../../engine/shared/input/region.ts'
import type { HtsgetUrl } from '../../../server/ga4gh/htsget-answer.ts'
import { type Layout, requestsOf, type SliceSet } from '../slicing/layout.ts'
import { type Client, readTicket, type Ticket } from './client.ts'
import type { ByteRange } from './index-chunks.ts'

export const WORKLOADS = ['gene', 'mid', 'genes'] as const
export type Workload = (typeof WORKLOADS)[number]

const SETS: Readonly<Record<Workload, Exclude<SliceSet, 'chromosomes'>>> = {
  gene: 'small',
  mid: 'mid',
  genes: 'genes',
}

type Intervals = readonly NamedInterval[]

/** What a workload asks for. */
export interface Requests {
  readonly set: Exclude<SliceSet, 'chromosomes'>
  readonly requests: readonly Intervals[]
  /** The same in as many tickets as it takes: the ends of many regions are more than one may hold. */
  readonly tickets: readonly Intervals[]
}

export async function requestsFor(
  workload: Workload,
  layout: Layout,
  client: Client,
): Promise<Requests> {
  const set = SETS[workload]
  const requests = requestsOf(layout, set)
  const tickets: Intervals[] = []
  for (const intervals of requests) tickets.push(...(await inTickets(client, intervals)))
  return { set, requests, tickets }
}

/** Halves what is refused, as clients are told to ask for fewer regions at a time. */
async function inTickets(client: Client, intervals: Intervals): Promise<Intervals[]> {
  if (await client.ticket(intervals)) return [intervals]
  if (intervals.length === 1) throw new Error('the ends of one region are more than a ticket holds')
  const half = Math.ceil(intervals.length / 2)
  const halves = [intervals.slice(0, half), intervals.slice(half)]
  return (await Promise.all(halves.map((each) => inTickets(client, each)))).flat()
}

/** The ticket for an exact slice. */
export async function exactTicket(client: Client, intervals: Intervals): Promise<Buffer> {
  const text = await client.ticket(intervals)
  if (!text) throw new Error('a ticket is refused that was given before')
  return text
}

/** The ticket of a server that knows the index alone: a link, its ranges, and the end marker. */
export async function indexTicket(client: Client, ranges: readonly ByteRange[]): Promise<Ticket> {
  const { url, headers } = await client.link()
  const urls: HtsgetUrl[] = ranges.map(({ start, end }, i) => {
    const Range = `bytes=${start}-${end - 1}`
    return { url, headers: { ...headers, Range }, class: i === 0 ? 'header' : 'body' }
  })
  const end = `data:;base64,${Buffer.from(END_MARKER).toString('base64')}`
  return { htsget: { format: 'BAM', urls: [...urls, { url: end, class: 'body' }] } }
}

/** Takes all that a ticket for an exact slice names. */
export async function takeExact(client: Client, intervals: Intervals): Promise<void> {
  await client.parts(readTicket(await exactTicket(client, intervals)))
}
