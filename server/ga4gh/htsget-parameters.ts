import { z } from '@hono/zod-openapi'
import {
  FORMATS,
  type HtsgetFormat,
  type HtsgetKind,
  type HtsgetRegion,
  type HtsgetRequest,
} from '../../engine/commons/index.ts'
import { EngineError, LoopTurns } from '../../engine/shared/index.ts'
import { parseJsonInTurns } from '../http/json-text.ts'

const FIELDS = 'QNAME FLAG RNAME POS MAPQ CIGAR RNEXT PNEXT TLEN SEQ QUAL'.split(' ')
/** Positions are unsigned 32-bit integers. */
const MAX_POSITION = 2 ** 32 - 1
const UNPLACED = '*'

const text = (description: string) => z.string().optional().describe(description)

const shared = {
  format: text('The format of the file; without it, whichever the file has'),
  class: text('`header`: the header alone'),
  referenceName: text('A reference of the file; `*` for reads without a place'),
  start: text('0-based, inclusive'),
  end: text('0-based, exclusive'),
  tags: text('Checked, and without effect: all tags come'),
  notags: text('Checked, and without effect: all tags come'),
}

/** Query parameters of GET, keyed by kind. */
export const queryOf = Object.freeze({
  reads: z.object({
    ...shared,
    fields: text('Checked, and without effect: all fields come'),
  }),
  variants: z.object(shared),
})

type Query = Readonly<Record<string, string | undefined>>

/**
 * Parses the query of a GET (htsget 1.3, Request parameters).
 * @throws EngineError `bad_input`; `bad_region` if the end is before the start; `unsupported_type`
 */
export function readQuery(query: Query, kind: HtsgetKind): HtsgetRequest {
  const { class: givenClass, referenceName, start, end, fields, tags, notags } = query
  const format = readFormat(query.format, kind)
  const listed = (value: string | undefined) =>
    value === undefined ? undefined : value.split(',').filter((name) => name !== '')
  checkLists({ fields: listed(fields), tags: listed(tags), notags: listed(notags) })
  if (readClass(givenClass)) {
    const others = Object.entries(query).filter(
      ([name, value]) => value !== undefined && !OF_HEADER.has(name),
    )
    return headerOf(
      format,
      others.map(([name]) => name),
    )
  }
  if (referenceName === undefined) {
    if (start === undefined && end === undefined) return { format }
    throw invalid('start and end are given without a referenceName; give one', 'referenceName')
  }
  const region = {
    referenceName,
    start: readPosition(start, 'start'),
    end: readPosition(end, 'end'),
  }
  // An empty region is valid by GET and an error by POST.
  checkRegion(region, { at: '', mayBeEmpty: true })
  return { format, regions: [region] }
}

/** Parameters for a header. Regions are ignored, because clients send `referenceName=na`. */
const OF_HEADER = new Set(['format', 'class', 'referenceName', 'start', 'end', 'regions'])

/** Members of a POST body. The schema checks only their types. */
const regionShape = z.object({
  referenceName: z.string(),
  start: z.int().min(0).max(MAX_POSITION).optional(),
  end: z.int().min(0).max(MAX_POSITION).optional(),
})
const bodyShape = {
  format: z.string().optional(),
  class: z.string().optional(),
  tags: z.array(z.string()).optional(),
  notags: z.array(z.string()).optional(),
  regions: z.array(regionShape).optional(),
}

/** Replaces the regions in body schemas. There may be very many regions, so each is validated separately. */
const REGIONS_UNREAD = { regions: z.array(z.unknown()).optional() }

/** Bodies of POST, keyed by kind. */
export const bodyOf = Object.freeze({
  reads: z.object({ ...bodyShape, fields: z.array(z.string()).optional() }),
  variants: z.object(bodyShape),
})

const unread = Object.freeze({
  reads: bodyOf.reads.extend(REGIONS_UNREAD),
  variants: bodyOf.variants.extend(REGIONS_UNREAD),
})

/**
 * Parses the body of a POST. An empty body requests the whole file.
 * @throws EngineError `bad_input`; `bad_region` if the end is not after the start; `unsupported_type`
 */
export async function readBody(
  bytes: Uint8Array,
  kind: HtsgetKind,
  turns = new LoopTurns(),
): Promise<HtsgetRequest> {
  const body: z.output<(typeof unread)['reads']> = await parsed(bytes, kind, turns)
  const format = readFormat(body.format, kind)
  checkLists(body)
  const { regions } = body
  if (readClass(body.class)) {
    const others = Object.entries(body).filter(
      ([name, value]) => value !== undefined && !OF_HEADER.has(name),
    )
    return headerOf(
      format,
      others.map(([name]) => name),
    )
  }
  if (!regions) return { format }
  if (regions.length === 0)
    throw invalid('no region is given; give one, or leave regions out', 'regions')
  return { format, regions: await turns.run(readRegions(regions)) }
}

function* readRegions(given: readonly unknown[]): Generator<void, readonly HtsgetRegion[]> {
  const regions: HtsgetRegion[] = []
  for (const [i, one] of given.entries()) {
    const read = regionShape.safeParse(one)
    if (!read.success) throw unlike(read.error.issues[0], `regions[${i}]`)
    checkRegion(read.data, { at: `regions[${i}].`, mayBeEmpty: false })
    regions.push(read.data)
    yield
  }
  return regions
}

async function parsed(bytes: Uint8Array, kind: HtsgetKind, turns: LoopTurns) {
  if (bytes.length === 0) return {}
  const read = unread[kind].safeParse(await parseJsonInTurns(bytes, turns))
  if (read.success) return read.data
  throw unlike(read.error.issues[0], '')
}

/**
 * Creates the error for an invalid value.
 * @param within path of the validated value, or empty for the body
 */
function unlike(issue: z.core.$ZodIssue | undefined, within: string): EngineError {
  const at = (issue?.path ?? []).reduce<string>(
    (path, part) =>
      typeof part === 'number'
        ? `${path}[${part}]`
        : path === ''
          ? String(part)
          : `${path}.${String(part)}`,
    within,
  )
  return invalid(issue?.message.toLowerCase() ?? 'the body is no request', at === '' ? 'body' : at)
}

function readFormat(given: string | undefined, kind: HtsgetKind): HtsgetFormat | undefined {
  if (given === undefined) return undefined
  const known = FORMATS[kind].find((format) => format === given)
  if (known) return known
  const message = `format ${JSON.stringify(given.slice(0, 80))} is not given here; request ${FORMATS[kind].join(' or ')}`
  throw new EngineError('unsupported_type', message, { at: 'format' })
}

function readClass(given: string | undefined): boolean {
  if (given === undefined) return false
  if (given === 'header') return true
  throw invalid(
    `class ${JSON.stringify(given.slice(0, 80))} is unknown; use header, or leave it out`,
    'class',
  )
}

function headerOf(format: HtsgetFormat | undefined, others: readonly string[]): HtsgetRequest {
  const [first] = others
  if (first === undefined) return { format, isHeader: true }
  throw invalid(
    `${first} is given with class=header, which takes format, and ignores regions; leave it out`,
    first,
  )
}

interface Lists {
  readonly fields?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly notags?: readonly string[] | undefined
}

function checkLists({ fields = [], tags = [], notags = [] }: Lists): void {
  const unknown = fields.find((field) => !FIELDS.includes(field))
  if (unknown !== undefined) {
    const name = JSON.stringify(unknown.slice(0, 80))
    throw invalid(`field ${name} is unknown; use some of ${FIELDS.join(', ')}`, 'fields')
  }
  const excluded = new Set(notags)
  const both = tags.find((tag) => excluded.has(tag))
  if (both === undefined) return
  throw invalid(
    `tag ${JSON.stringify(both.slice(0, 80))} is in tags and in notags; give it once`,
    'notags',
  )
}

function readPosition(given: string | undefined, at: string): number | undefined {
  if (given === undefined) return undefined
  const position = /^\d{1,10}$/.test(given) ? Number(given) : Number.POSITIVE_INFINITY
  if (position <= MAX_POSITION) return position
  const shown = JSON.stringify(given.slice(0, 80))
  throw invalid(`${at} ${shown} is no position; give a whole number from 0 to ${MAX_POSITION}`, at)
}

function checkRegion(
  { referenceName, start, end }: HtsgetRegion,
  { at, mayBeEmpty }: { readonly at: string; readonly mayBeEmpty: boolean },
): void {
  if (referenceName === UNPLACED && (start !== undefined || end !== undefined)) {
    throw invalid(
      'reads without a place have no start and end; leave them out',
      `${at}referenceName`,
    )
  }
  if (end === undefined) return
  const first = start ?? 0
  if (mayBeEmpty ? first <= end : first < end) return
  const message = `the region ends at ${end} and starts at ${first}; give an end behind the start`
  throw new EngineError('bad_region', message, { at: `${at}end` })
}

const invalid = (message: string, at: string) => new EngineError('bad_input', message, { at })
