import type { LoopTurns } from '../concurrency/loop-turns.ts'
import { touch } from '../concurrency/lru-cache.ts'
import { EngineError } from '../errors.ts'
import { readNodeName } from './node-name.ts'
import { daysOf, idsOf, linesOf, segmentsOf, textsOf } from './read-segment.ts'
import {
  type AnswerEntry,
  type CommandEntry,
  type IdKind,
  type RecordedIds,
  type RecordLine,
  readLine,
} from './record-line.ts'

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
  /** Id of a submitted entity. */
  readonly entity?: string | undefined
}

/** A recorded answer or command, with all ids. */
export interface RecordedEvent extends Readonly<Record<IdKind, readonly string[]>> {
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
  /** Id of the submission's transaction. */
  readonly transaction: number | null
  /** Names the run of a command, which has a line before and one after. */
  readonly run: string | null
  /** How a command stands. */
  readonly outcome: string | null
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
  /** Maximum number of ids of each kind in an event. */
  readonly maxIds: number
  readonly turns: LoopTurns
  readonly signal: AbortSignal
}

/** An event with the first ids of each kind, and how many there are. */
interface RecentEvent extends RecordedEvent {
  readonly fileCount: number
  readonly caseCount: number
  readonly entityCount: number
}

/** The newest events of a query, newest first. */
export interface RecentEvents {
  readonly events: readonly RecentEvent[]
  /** Whether there may be more events that are older. */
  readonly hasMore: boolean
}

/** A line that a query selects, without the ids of its lists. */
interface Selected {
  readonly place: Place
  readonly line: Told
}

/**
 * Returns the newest events that a query selects. Reads day by day, from the last, until it has enough. Lists of many
 * ids are read one at a time, because thousands of events may have the ids of a whole cohort.
 * @throws EngineError as readRecord; the signal's reason
 */
export async function recentEvents(
  root: string,
  query: RecordQuery,
  { size, maxBytes, maxIds, turns, signal }: RecentRun,
): Promise<RecentEvents> {
  const { daysIn, isMeant } = selectionOf(root, query)
  const lists = new ListSearch(root, query)
  const node = (await readNodeName(root)) ?? ''
  const newest = (lines: readonly Selected[]) =>
    lines
      .toSorted(({ line: a }, { line: b }) => (a.time < b.time ? 1 : -Number(a.time > b.time)))
      .slice(0, size + 1)
  const shown = async (lines: readonly Selected[], hasMore: boolean): Promise<RecentEvents> => {
    const events: RecentEvent[] = []
    for (const { place, line } of lines.slice(0, size)) {
      await turns.pause()
      signal.throwIfAborted()
      const event = await eventOf(root, place, line)
      const { files, cases, entities } = event
      events.push({
        ...event,
        files: firstOf(files, maxIds),
        cases: firstOf(cases, maxIds),
        entities: firstOf(entities, maxIds),
        fileCount: files.length,
        caseCount: cases.length,
        entityCount: entities.length,
      })
    }
    return { events, hasMore }
  }
  let selected: Selected[] = []
  let bytes = 0
  for (const day of (await daysIn()).toReversed()) {
    for (const segment of (await segmentsOf(root, day)).toReversed()) {
      const place = { node, segment }
      for await (const { text, isWhole } of textsOf(root, segment)) {
        await turns.pause()
        signal.throwIfAborted()
        bytes += text.length
        if (bytes > maxBytes) return shown(newest(selected), true)
        const line = isWhole ? readLine(text) : undefined
        if (!line || !isMeant(line) || !(await lists.isAbout(segment, line))) continue
        selected.push({ place, line })
        if (selected.length > 4 * size) selected = newest(selected)
      }
    }
    selected = newest(selected)
    if (selected.length > size) return shown(selected, true)
  }
  return shown(selected, false)
}

/** Copies the first texts of a list. A part of a text would keep the whole text in memory. */
const firstOf = (ids: readonly string[], most: number): readonly string[] =>
  ids.slice(0, most).map((id) => Buffer.from(id).toString())

/** Returns the days that a query concerns, and functions that select lines. */
function selectionOf(root: string, query: RecordQuery) {
  const since = startOf(query.since)
  const until = endOf(query.until)
  /** Returns whether a line is an event of the time and user. */
  const isMeant = (line: RecordLine): line is Told =>
    (line.kind === 'answer' || line.kind === 'command') &&
    line.time >= since &&
    line.time < until &&
    (query.subject === undefined || line.subject === query.subject)
  return {
    daysIn: async () =>
      (await daysOf(root)).filter((day) => day >= since.slice(0, 10) && day <= until.slice(0, 10)),
    isMeant,
    async select(place: Place, line: RecordLine) {
      if (!isMeant(line)) return undefined
      const event = await eventOf(root, place, line)
      return wantedIds(query).every(([kind, id]) => includes(event[kind], id)) ? event : undefined
    },
  }
}

/** Returns the ids that a query names, by kind. */
const wantedIds = ({ file, caseId, entity }: RecordQuery): readonly (readonly [IdKind, string])[] =>
  (
    [
      ['files', file],
      ['cases', caseId],
      ['entities', entity],
    ] as const
  ).flatMap(([kind, id]) => (id === undefined ? [] : [[kind, id] as const]))

function includes(ids: readonly string[], id: string): boolean {
  const wanted = id.trim().toLowerCase()
  return ids.some((one) => one.toLowerCase() === wanted)
}

/** Maximum number of lists whose result is remembered. */
const MAX_LISTS = 10_000

/** Finds the ids of a query in those of lines. A list that many lines name is read once. */
class ListSearch {
  readonly #root: string
  readonly #query: RecordQuery
  readonly #known = new Map<string, boolean>()

  constructor(root: string, query: RecordQuery) {
    this.#root = root
    this.#query = query
  }

  async isAbout(segment: string, line: Told): Promise<boolean> {
    for (const [kind, id] of wantedIds(this.#query)) {
      if (line.kind !== 'answer' || !(await this.#has(segment, line[kind], id))) return false
    }
    return true
  }

  async #has(segment: string, recorded: RecordedIds | undefined, id: string): Promise<boolean> {
    if (!recorded) return false
    if ('ids' in recorded) return includes(recorded.ids, id)
    const key = `${id} ${recorded.sha256}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = includes((await idsOf(this.#root, segment, recorded)) ?? [], id)
    touch(this.#known, key, found, MAX_LISTS)
    return found
  }
}

type Told = Extract<RecordLine, AnswerEntry | CommandEntry>
type Place = Pick<RecordedEvent, 'node' | 'segment'>

async function eventOf(root: string, place: Place, line: Told): Promise<RecordedEvent> {
  const { number, time, kind, action, subject } = line
  const common = { ...place, number, time, kind, action, subject }
  if (line.kind === 'command') {
    const { run, outcome, parameters } = line
    return { ...common, ...NO_ANSWER, run, outcome, parameters: JSON.stringify(parameters) }
  }
  const all = async (kind: IdKind) => {
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
    entities: await all('entities'),
    transaction: line.transaction ?? null,
    run: null,
    outcome: null,
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
  entities: [],
  transaction: null,
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
