import { EngineError } from '../../shared/errors.ts'
import {
  type Reader,
  readList,
  readMembers,
  readOneOf,
  readText,
} from '../../shared/input/json-members.ts'
import { checkComment } from '../edit-comment.ts'
import { type Editorial, STATUSES, type Status } from './answers.ts'
import { DEVELOPMENT, LATEST } from './stored.ts'

/** Accepted names of the version to publish to. */
const PRODUCTION: readonly string[] = [LATEST, 'production']

/** The members of a body that are not content. If the status is missing, the record keeps its status. */
export interface RecordBody extends Partial<Editorial> {
  readonly id?: string
}

/** The records to publish, and the notes to store with them. */
interface PublishInfo {
  readonly ids: readonly string[]
  readonly version_to?: string
  readonly status?: Status
  readonly assigned_to?: string
  readonly description?: string
}

const readTexts: Reader<Readonly<Record<string, string>>> = (value, at) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new EngineError('bad_input', `"${at}" is no object; give a JSON object`, { at })
  }
  const given = Object.entries(value).filter(([, text]) => text !== null)
  return Object.fromEntries(given.map(([name, text]) => [name, readText(text, `${at}.${name}`)]))
}

const readRecord = readMembers<RecordBody>(
  {},
  {
    id: readText,
    status: readOneOf(STATUSES),
    assigned_to: readText,
    note: readText,
    field_notes: readTexts,
  },
)

const readPublishInfo = readMembers<PublishInfo>(
  { ids: readList(readText) },
  {
    version_to: readText,
    status: readOneOf(STATUSES),
    assigned_to: readText,
    description: readText,
  },
)

/** Maximum number of records to publish at once. No area has more. They are stored in one turn. */
const MAX_PUBLISHED = 5000

const ID = /^[A-Za-z0-9._-]{1,128}$/
const VERSION = /^[A-Za-z0-9._-]{1,64}$/
/** Names that would shadow an operation or have a fixed meaning (registry.md 1.6). */
const RESERVED: readonly string[] = [
  LATEST,
  DEVELOPMENT,
  'versions',
  'match',
  'primary_site',
  'site_categories',
  'reportability',
]

/**
 * Reads the members of a record that are not content.
 * @throws EngineError `bad_input`, naming the member
 */
export function parseRecordBody(body: unknown): RecordBody {
  const read = readRecord(body, '')
  if (read.id === undefined || ID.test(read.id)) return read
  const rule = 'give 1 to 128 of A-Z, a-z, 0-9, ".", "_" and "-"'
  throw new EngineError('bad_input', `"id" is no id; ${rule}`, { at: 'id' })
}

/**
 * Reads the body of a publish request.
 * @throws EngineError `bad_input`, naming the member
 */
export function parsePublishInfo(body: unknown): PublishInfo {
  const read = readPublishInfo(body, '')
  checkComment(read.description, 'description')
  if (read.ids.length === 0) {
    throw new EngineError('bad_input', '"ids" is empty; name what to publish', { at: 'ids' })
  }
  if (read.ids.length > MAX_PUBLISHED) {
    const message = `"ids" has ${read.ids.length} ids; publish up to ${MAX_PUBLISHED} at a time`
    throw new EngineError('bad_input', message, { at: 'ids' })
  }
  const { version_to = LATEST } = read
  if (PRODUCTION.includes(version_to.toLowerCase())) return read
  const message = `"version_to" is none of ${PRODUCTION.join(', ')}; nothing else is published to`
  throw new EngineError('bad_input', message, { at: 'version_to' })
}

/**
 * Validates the name of a new version.
 * @throws EngineError `bad_input` if the name is malformed or reserved
 */
export function checkVersionName(name: string): void {
  const isTaken = RESERVED.includes(name)
  if (VERSION.test(name) && !isTaken) return
  const rule = isTaken
    ? `"name" cannot be "${name}", which means something else`
    : '"name" is no name; give 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-"'
  throw new EngineError('bad_input', rule, { at: 'name' })
}
