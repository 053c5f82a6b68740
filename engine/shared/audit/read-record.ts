import type { LoopTurns } from '../concurrency/loop-turns.ts'
import { EngineError } from '../errors.ts'
import { readNodeName } from './node-name.ts'
import { daysOf, idsOf, linesOf, segmentsOf, textsOf } from './read-segment.ts'
import { type AnswerEntry, type CommandEntry, type RecordLine, readLine } from './record-line.ts'

/** Which lines to read. Without a member, all. */
export interface RecordQuery {
  /** First day (`YYYY-MM-DD`) or time (ISO 8601, UTC). */
  readonly since?: string | undefined
  /** Last day, which is included, or the first time that is not. */
  readonly until?: string | undefined
  /** Name of the user, or of the operator. */
  readonly subject?: string | undefined
  /** Id of a file. */
  readonly file?: string | undefined
  /** Id of a case. */
  readonly caseId?: string | undefined
}

/** A recorded answer or command, with all ids. */
export interface RecordedEvent {
  readonly node: string
  readonly segment: string
  readonly number: number
  readonly time: string
  readonly kind: 'answer' | 'command'
  readonly action: string
  readonly subject: string | null
  readonly request: string | null
  readonly credential_kind: string | null
  readonly credential_id: string | null
  readonly address: string | null
  readonly release: string | null
  readonly status: number | null
  readonly bytes: number | null
  readonly files: readonly string[]
  readonly cases: readonly string[]
  readonly projects: readonly string[]
  /** JSON of the parameters of a command. */
  readonly parameters: string | null
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/

/**
 * Yields the events of a record that a query selects: by day, then by process, then in their order.
 * @throws EngineError `bad_input` for a time that is not in one of the forms
 */
export async function* readRecord(
  root: string,
  query: RecordQuery,
): AsyncGenerator<RecordedEvent, undefined> {
  const { daysIn, select } = selectionOf(root, query)
  const node = (await readNodeName(root)) ?? ''
  for (const day of await daysIn()) {
    for (const segment of await segmentsOf(root, day)) {
      for await (const line of linesOf(root, segment)) {
        const event = await select({ node, segment }, line)
        if (event) yield event
      }
    }
  }
}

/** Bounds of a reading for a page. */
export interface RecentRun {
  /** Maximum number of events. */
  readonly size: number
  /** Maximum length of the lines that are read, in bytes. */
  readonly maxBytes: number
  readonly turns: LoopTurns
  readonly signal: AbortSignal
}

/** The newest events of a query, newest first. */
export interface RecentEvents {
  readonly events: readonly RecordedEvent[]
  /** Whether there may be more events that are older. */
  readonly hasMore: boolean
}

/**
 * Returns the newest events that a query selects. Reads day by day, from the last, until it has enough.
 * @throws EngineError as readRecord; the signal's reason
 */
export async function recentEvents(
  root: string,
  query: RecordQuery,
  { size, maxBytes, turns, signal }: RecentRun,
): Promise<RecentEvents> {
  const { daysIn, select } = selectionOf(root, query)
  const node = (await readNodeName(root)) ?? ''
  const newest = (events: readonly RecordedEvent[]) =>
    events.toSorted((a, b) => (a.time < b.time ? 1 : -Number(a.time > b.time))).slice(0, size + 1)
  let events: RecordedEvent[] = []
  let bytes = 0
  for (const day of (await daysIn()).toReversed()) {
    for (const segment of (await segmentsOf(root, day)).toReversed()) {
      for await (const { text, isWhole } of textsOf(root, segment)) {
        await turns.pause()
        signal.throwIfAborted()
        bytes += text.length
        if (bytes > maxBytes) return { events: newest(events).slice(0, size), hasMore: true }
        const line = isWhole ? readLine(text) : undefined
        const event = line && (await select({ node, segment }, line))
        if (event) events.push(event)
        if (events.length > 4 * size) events = newest(events)
      }
    }
    events = newest(events)
    if (events.length > size) return { events: events.slice(0, size), hasMore: true }
  }
  return { events, hasMore: false }
}

/** Returns the days that a query concerns, and a function that returns the event of a line that it selects. */
function selectionOf(root: string, query: RecordQuery) {
  const since = startOf(query.since)
  const until = endOf(query.until)
  return {
    daysIn: async () =>
      (await daysOf(root)).filter((day) => day >= since.slice(0, 10) && day <= until.slice(0, 10)),
    async select(place: Pick<RecordedEvent, 'node' | 'segment'>, line: RecordLine) {
      if (line.kind !== 'answer' && line.kind !== 'command') return undefined
      if (line.time < since || line.time >= until) return undefined
      if (query.subject !== undefined && line.subject !== query.subject) return undefined
      const event = await eventOf(root, place, line)
      return isAbout(event, query) ? event : undefined
    },
  }
}

function isAbout({ files, cases }: RecordedEvent, { file, caseId }: RecordQuery): boolean {
  const isOf = (ids: readonly string[], id: string | undefined) =>
    id === undefined || ids.some((one) => one.toLowerCase() === id.trim().toLowerCase())
  return isOf(files, file) && isOf(cases, caseId)
}

type Told = Extract<RecordLine, AnswerEntry | CommandEntry>

async function eventOf(
  root: string,
  place: Pick<RecordedEvent, 'node' | 'segment'>,
  line: Told,
): Promise<RecordedEvent> {
  const { number, time, kind, action, subject } = line
  const common = { ...place, number, time, kind, action, subject }
  if (line.kind === 'command') {
    return { ...common, ...NO_ANSWER, parameters: JSON.stringify(line.parameters) }
  }
  const all = async (kind: 'files' | 'cases' | 'projects') => {
    const recorded = line[kind]
    return recorded ? ((await idsOf(root, place.segment, recorded)) ?? []) : []
  }
  return {
    ...common,
    request: line.request,
    credential_kind: line.credential?.kind ?? null,
    credential_id: line.credential?.id ?? null,
    address: line.address ?? null,
    release: line.release,
    status: line.status,
    bytes: line.bytes,
    files: await all('files'),
    cases: await all('cases'),
    projects: await all('projects'),
    parameters: null,
  }
}

const NO_ANSWER = Object.freeze({
  request: null,
  credential_kind: null,
  credential_id: null,
  address: null,
  release: null,
  status: null,
  bytes: null,
  files: [],
  cases: [],
  projects: [],
})

const FIRST = '0000-01-01'
const LAST = '9999-12-31'

const startOf = (given: string | undefined) => timeOf('since', given ?? FIRST)

/** Returns the first time that is not included. */
function endOf(given = LAST): string {
  if (!DAY.test(given) || given === LAST) return timeOf('until', given)
  return new Date(Date.parse(timeOf('until', given)) + 86_400_000).toISOString()
}

function timeOf(name: string, given: string): string {
  if (
    (DAY.test(given) || TIME.test(given)) &&
    (given === FIRST || !Number.isNaN(Date.parse(given)))
  ) {
    return given === LAST || given === FIRST ? given : new Date(given).toISOString()
  }
  const message = `"${given.slice(0, 40)}" is not a time; use YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ`
  throw new EngineError('bad_input', message, { at: name })
}
