import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { type ByteStream, generatedStream } from '../../../shared/streams/byte-stream.ts'
import { type MemberChange, memberDifference } from '../algorithm/member-difference.ts'
import type { StagingTable } from '../algorithm/model.ts'
import { type RowChange, rowDifference } from '../algorithm/row-difference.ts'
import { documentOf, type Entity, KINDS, type Kind } from './entities.ts'
import type { LoadedVersion } from './loaded-version.ts'

export const DIFFERENCE_FORMATS = ['ndjson', 'tsv'] as const
export type DifferenceFormat = (typeof DIFFERENCE_FORMATS)[number]

/** A change from one version to the other. If it has no `at`, a whole entity was added or removed. */
interface VersionChange {
  readonly kind: Kind
  readonly id: string
  readonly change: MemberChange['change'] | RowChange['change']
  /** A member, or a row such as `rows[3]` (0-based) of the new version. A removed row is of the old version. */
  readonly at?: string
  /** The previous position of a row. */
  readonly from?: string
  readonly before?: unknown
  readonly after?: unknown
}

/**
 * Compares two versions. `ndjson` starts with a line that names both versions; each further line is a change.
 * `tsv` has a header, then a line per change with JSON in `before` and `after`. Derived members and those set
 * by the server are left out.
 */
export function versionDifference(
  before: LoadedVersion,
  after: LoadedVersion,
  format: DifferenceFormat,
  turns: LoopTurns,
): ByteStream {
  const rest = chunksOf(before, after, format, turns)
  // Both versions are in memory, so nothing has to be released when the stream ends.
  return generatedStream({ rest }, { giveBack: () => {} })
}

async function* chunksOf(
  before: LoadedVersion,
  after: LoadedVersion,
  format: DifferenceFormat,
  turns: LoopTurns,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { algorithm, version } = after.name
  const { head, lineOf } = WRITERS[format]
  yield Buffer.from(head({ algorithm, from: before.name.version, to: version }))
  for (const kind of KINDS) {
    for (const id of [...new Set([...before.ids(kind), ...after.ids(kind)])].sort()) {
      const changes = [...changesOf(kind, id, before, after)]
      if (changes.length > 0) yield Buffer.from(changes.map(lineOf).join(''))
      await turns.pause()
    }
  }
}

function* changesOf(
  kind: Kind,
  id: string,
  before: LoadedVersion,
  after: LoadedVersion,
): Generator<VersionChange> {
  const [own, other] = [before.entry(kind, id)?.entity, after.entry(kind, id)?.entity]
  if (!own) return yield { kind, id, change: 'added' }
  if (!other) return yield { kind, id, change: 'removed' }
  const [document, otherDocument] = [documentOf(own), documentOf(other)]
  if (document === otherDocument) return
  const [content, otherContent] = [membersOf(document), membersOf(otherDocument)]
  for (const change of memberDifference(content, otherContent)) yield { kind, id, ...change }
  if (!isTable(own) || !isTable(other)) return
  for (const row of rowDifference(own, other)) {
    const { change } = row
    const [before, after] = [
      'before' in row ? { before: row.before } : {},
      'after' in row ? { after: row.after } : {},
    ]
    const at = `rows[${row.change === 'removed' ? row.from : row.to}]`
    const from = 'from' in row && 'to' in row ? { from: `rows[${row.from}]` } : {}
    yield { kind, id, change, at, ...from, ...before, ...after }
  }
}

const isTable = (entity: Entity): entity is StagingTable => 'rows' in entity

/** Returns the members of an entity except its rows, which are compared separately. */
function membersOf(document: string): Record<string, unknown> {
  const { rows: _rows, ...members }: Record<string, unknown> = JSON.parse(document)
  return members
}

interface Compared {
  readonly algorithm: string
  readonly from: string
  readonly to: string
}

interface Writer {
  readonly head: (compared: Compared) => string
  readonly lineOf: (change: VersionChange) => string
}

const COLUMNS = ['kind', 'id', 'change', 'at', 'from', 'before', 'after'] as const

const WRITERS: Readonly<Record<DifferenceFormat, Writer>> = {
  ndjson: {
    head: (compared) => `${JSON.stringify(compared)}\n`,
    lineOf: (change) => `${JSON.stringify(change)}\n`,
  },
  tsv: {
    head: () => `${COLUMNS.join('\t')}\n`,
    lineOf: (change) => `${COLUMNS.map((name) => cellOf(name, change)).join('\t')}\n`,
  },
}

/** JSON, ids and member names contain neither tabs nor line breaks, so cells need no escaping. */
function cellOf(name: (typeof COLUMNS)[number], change: VersionChange): string {
  const value = change[name]
  if (value === undefined) return ''
  return name === 'before' || name === 'after' ? JSON.stringify(value) : String(value)
}
