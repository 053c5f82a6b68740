import type { NamedInterval } from '../../../engine/shared/input/region.ts'
import type { Comparison, Contender, Contest } from '../../bench.ts'
import { processorTime } from '../search/service.ts'
import { type Client, inlinedBytes, readTicket, type Ticket } from './client.ts'
import type { ByteRange } from './index-chunks.ts'
import { exactTicket, indexTicket, type Requests, takeExact, type Workload } from './requests.ts'

type Intervals = readonly NamedInterval[]

interface Measured {
  readonly workload: Workload
  readonly requests: Requests
  readonly client: Client
  readonly byIndex: (intervals: Intervals) => readonly ByteRange[]
  /** Of the service. */
  readonly pid: number | undefined
}

/** Times that a turn asks for everything: the system counts processor time in steps of 10 ms. */
const PASSES: Readonly<Record<Workload, number>> = { gene: 4, mid: 4, genes: 2 }
const PROCESSOR = ', processor'

/** Milliseconds to the last byte, and of processor time of the service, for one request. */
export async function timesContest(measured: Measured, rounds: number): Promise<Contest> {
  const { workload, requests, client, byIndex, pid } = measured
  const perRequest = PASSES[workload] * requests.requests.length
  const turn = (
    series: string,
    asked: readonly Intervals[],
    take: (intervals: Intervals) => Promise<Partial<Told>>,
  ): Contender => ({
    turn: async () => {
      const told = { firstByte: 0, planning: 0 }
      const before = processorTime(pid)
      const start = performance.now()
      for (let pass = 0; pass < PASSES[workload]; pass++) {
        for (const intervals of asked) {
          const { firstByte = 0, planning = 0 } = await take(intervals)
          told.firstByte += firstByte
          told.planning += planning
        }
      }
      const milliseconds = (performance.now() - start) / perRequest
      const processor = (processorTime(pid) - before) / 1000 + told.planning
      return {
        [series]: milliseconds,
        [series + PROCESSOR]: processor / perRequest,
        ...(told.firstByte > 0 && { [`${series}, first byte`]: told.firstByte / perRequest }),
      }
    },
  })
  const contenders = [
    turn('ticket', requests.tickets, async (intervals) => {
      await takeExact(client, intervals)
      return {}
    }),
    turn('slice', requests.requests, async (intervals) => {
      return { firstByte: await client.slice(intervals) }
    }),
    turn('index chunks', requests.requests, async (intervals) => {
      const start = performance.now()
      const ranges = byIndex(intervals)
      const planning = performance.now() - start
      await client.parts(await indexTicket(client, ranges))
      return { planning }
    }),
    turn('ticket alone', requests.tickets, async (intervals) => {
      await exactTicket(client, intervals)
      return {}
    }),
  ]
  for (const contender of contenders) await contender.turn()
  const beside = (peer: string): Comparison[] =>
    ['', PROCESSOR].map((what) => ({ ours: `ticket${what}`, peer: peer + what }))
  return {
    workload,
    unit: 'ms',
    rounds,
    contenders,
    comparisons: [
      ...beside('slice'),
      ...beside('index chunks'),
      { ours: `ticket alone${PROCESSOR}`, peer: `slice${PROCESSOR}` },
      { ours: 'slice, first byte' },
    ],
  }
}

/** What one contender says besides its times. */
interface Told {
  readonly firstByte: number
  /** Milliseconds of this process that a server would have spent. */
  readonly planning: number
}

/** What goes over the wire for one request. It is the same each time. */
export function bytesContest({ workload, requests, client, byIndex }: Measured): Contest {
  const mean = (bytes: number) => bytes / 1000 / requests.requests.length
  const ofTickets = async (
    series: string,
    asked: readonly Intervals[],
    ticketFor: (intervals: Intervals) => Promise<Buffer>,
  ) => {
    let [text, inlined, all] = [0, 0, 0]
    for (const intervals of asked) {
      const given = await ticketFor(intervals)
      const ticket = readTicket(given)
      text += given.length
      inlined += inlinedBytes(ticket)
      await client.parts(ticket, (bytes) => {
        all += bytes.length
      })
    }
    const fetched = all - inlined
    return {
      [`${series}, text`]: mean(text),
      [`${series}, in the text`]: mean(inlined),
      [`${series}, fetched`]: mean(fetched),
      [`${series}, all`]: mean(text + fetched),
    }
  }
  const slices = async () => {
    let all = 0
    for (const intervals of requests.requests) {
      await client.slice(intervals, (bytes) => {
        all += bytes.length
      })
    }
    return { 'slice, all': mean(all) }
  }
  const textOf = (ticket: Ticket) => Buffer.from(JSON.stringify(ticket))
  return {
    workload: `${workload}, bytes`,
    unit: 'kB',
    rounds: 1,
    contenders: [
      { turn: slices },
      {
        turn: () => ofTickets('ticket', requests.tickets, (each) => exactTicket(client, each)),
      },
      {
        turn: () =>
          ofTickets('index chunks', requests.requests, async (each) =>
            textOf(await indexTicket(client, byIndex(each))),
          ),
      },
    ],
    comparisons: [
      { ours: 'ticket, text' },
      { ours: 'ticket, in the text' },
      { ours: 'ticket, fetched' },
      { ours: 'ticket, all', peer: 'slice, all', as: 'times as long' },
      { ours: 'index chunks, text' },
      { ours: 'index chunks, all', peer: 'slice, all', as: 'times as long' },
    ],
  }
}
