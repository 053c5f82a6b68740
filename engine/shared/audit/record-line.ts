import { createHash } from 'node:crypto'
import { isObject, type Unknowns } from '../input/unknowns.ts'

/** Value of `before` in the first line of the first segment. */
export const NO_LINE = '0'.repeat(64)

/** Ids of one kind. Up to MAX_IDS are in the line; more are in a list beside the segment, named by its SHA-256. */
export type RecordedIds =
  | { readonly count: number; readonly ids: readonly string[] }
  | { readonly count: number; readonly sha256: string }

/** Kinds of ids that a line can have. */
export const ID_KINDS = Object.freeze(['files', 'cases', 'projects', 'entities'] as const)
export type IdKind = (typeof ID_KINDS)[number]

/** Maximum number of ids in a line. */
export const MAX_IDS = 100

/** The end of a segment: its name and the number and hash of its lines up to a point. */
export interface SegmentMark {
  readonly segment: string
  readonly lines: number
  /** SHA-256 of the last of these lines. */
  readonly sha256: string
}

/** First line of a segment. */
interface HeadEntry {
  readonly kind: 'head'
  readonly time: string
  readonly format: 1
  readonly node: string
  readonly segment: string
  /** A segment of the node that was there before, as far as it was known. Null if there was none. */
  readonly former: SegmentMark | null
}

/** An answer with controlled data. `entities` are of submitted data. */
export interface AnswerEntry extends Readonly<Partial<Record<IdKind, RecordedIds>>> {
  readonly kind: 'answer'
  readonly time: string
  readonly request: string
  /** The operation as in the API document, such as `GET /data/{ids}`. */
  readonly action: string
  readonly subject: string | null
  readonly credential: { readonly kind: string; readonly id: string } | null
  readonly address?: string
  readonly release: string | null
  readonly status: number
  /** Length of the answer, if it was known in advance. */
  readonly bytes: number | null
  /** Id of the submission's transaction. */
  readonly transaction?: number
}

/** How a command stands. One that was killed stays `started`. */
const OUTCOMES = Object.freeze(['started', 'done', 'failed', 'interrupted'] as const)
type CommandOutcome = (typeof OUTCOMES)[number]

/** A command of an operator: a line before it runs, and one when it has ended. */
export interface CommandEntry {
  readonly kind: 'command'
  readonly time: string
  readonly action: string
  /** Names the run. Both of its lines have it. */
  readonly run: string
  readonly outcome: CommandOutcome
  /** Name of the account of the operating system. */
  readonly subject: string
  readonly parameters: Readonly<Record<string, string>>
}

/** A day that was deleted because it was older than the days to keep. */
export interface SweepEntry {
  readonly kind: 'sweep'
  readonly time: string
  readonly day: string
  readonly segments: readonly SegmentMark[]
}

/** Last line of a segment that was closed in order. */
interface EndEntry {
  readonly kind: 'end'
  readonly time: string
}

export type RecordEntry = HeadEntry | AnswerEntry | CommandEntry | SweepEntry | EndEntry

/** A line: an entry with its 0-based number in the segment and the SHA-256 of the line before it. */
export type RecordLine = RecordEntry & { readonly number: number; readonly before: string }

/** Returns the text of a line, without the line feed. */
export const writeLine = (entry: RecordEntry, number: number, before: string): string =>
  JSON.stringify({ number, before, ...entry })

/** Returns a line from its text, or undefined if the text is not a line of this format. */
export function readLine(text: string): RecordLine | undefined {
  const line = parsed(text)
  if (!isObject(line) || !isNumber(line.number) || !isText(line.before)) return undefined
  return isText(line.time) && isEntry(line) ? (line as unknown as RecordLine) : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isEntry(line: Unknowns): boolean {
  switch (line.kind) {
    case 'head':
      return isText(line.node) && isText(line.segment) && isOr(null, line.former, isMark)
    case 'answer':
      return isAnswer(line)
    case 'command':
      return isCommand(line)
    case 'sweep':
      return isText(line.day) && Array.isArray(line.segments) && line.segments.every(isMark)
    default:
      return line.kind === 'end'
  }
}

const isCommand = ({ action, subject, run, outcome, parameters }: Unknowns): boolean =>
  [action, subject, run].every(isText) &&
  OUTCOMES.some((known) => known === outcome) &&
  isObject(parameters)

function isAnswer(line: Unknowns): boolean {
  const { credential } = line
  return (
    [line.request, line.action].every(isText) &&
    [line.subject, line.release].every((one) => isOr(null, one, isText)) &&
    isOr(undefined, line.address, isText) &&
    isOr(null, credential, (one) => isObject(one) && isText(one.kind) && isText(one.id)) &&
    isNumber(line.status) &&
    isOr(null, line.bytes, isNumber) &&
    isOr(undefined, line.transaction, isNumber) &&
    ID_KINDS.every((kind) => isOr(undefined, line[kind], isIds))
  )
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => Number.isSafeInteger(value)
const isOr = (none: null | undefined, value: unknown, is: (value: unknown) => boolean) =>
  value === none || is(value)
const isMark = (value: unknown) =>
  isObject(value) && isText(value.segment) && isNumber(value.lines) && isText(value.sha256)
const isIds = (value: unknown) =>
  isObject(value) &&
  isNumber(value.count) &&
  (isText(value.sha256) || (Array.isArray(value.ids) && value.ids.every(isText)))

export const hashOf = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex')
