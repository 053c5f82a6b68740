import type { Job, Scratch } from '../../../shared/executor.ts'
import { ByteSink } from '../../../shared/formats/byte-sink.ts'
import type { TableForm } from '../../../shared/formats/table-cells.ts'
import { writeTable } from '../../render/write-table.ts'
import { chainFrom, type VersionChain } from './chain.ts'
import { OpenSources, type VersionSources } from './sources.ts'
import {
  type HistoryRecord,
  historyOf,
  latestOn,
  type VersionRecord,
  versionOf,
} from './version-records.ts'

interface RequestedVersions {
  readonly sources: VersionSources
  /** File ids in lower case. */
  readonly ids: readonly string[]
}

/** Output format of a chunk. */
export type ChunkForm =
  | { readonly kind: 'json'; readonly pretty: boolean }
  /** Lines of a table. */
  | { readonly kind: 'table'; readonly form: TableForm; readonly columns: readonly string[] }
  /** Counts records without output. */
  | { readonly kind: 'count' }

interface DescribeInput extends RequestedVersions {
  readonly form: ChunkForm
}

export interface DescribedVersions {
  /** Number of known ids. */
  readonly found: number
  /** Maximum number of releases in one record. */
  readonly mostReleases: number
  /** Output bytes. For JSON, records separated by commas. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Renders the records of `/files/versions` in the order of the ids. Unknown ids are left out. */
export const describeVersionsJob: Job<DescribeInput, DescribedVersions> = {
  name: 'versions.describe',
  run: describeVersions,
  transfer: ({ bytes }) => [bytes.buffer],
}

/** Returns the history of each known id. */
export const historyJob: Job<RequestedVersions, readonly HistoryRecord[]> = {
  name: 'versions.history',
  run({ sources, ids }, scratch) {
    const open = new OpenSources(sources, scratch)
    open.list(ids)
    return ids.flatMap((id) => {
      const chain = chainFrom(id, open.known)
      return chain ? historyOf(chain, open) : []
    })
  },
}

/** Returns pairs of an id and the id of its latest version. Ids of latest versions are left out. */
export const latestJob: Job<RequestedVersions, readonly (readonly [string, string])[]> = {
  name: 'versions.latest',
  run({ sources, ids }, scratch) {
    const open = new OpenSources(sources, scratch)
    return ids.flatMap((id) => {
      const chain = chainFrom(id, open.known)
      const latest = chain && latestOn(chain, open.known)
      return latest === undefined || latest === id ? [] : [[id, latest] as const]
    })
  },
}

function describeVersions(
  { sources, ids, form }: DescribeInput,
  scratch: Scratch,
): DescribedVersions {
  const open = new OpenSources(sources, scratch)
  open.list(ids)
  const chains = new Map<string, VersionChain>()
  for (const id of ids) {
    const chain = chainFrom(id, open.known)
    if (chain) chains.set(id, chain)
  }
  open.prepare([...chains].flatMap(([id, { end = id }]) => [id, end]))
  const records = Array.from(chains, ([id, chain]) => versionOf(id, chain, open))
  const counts = records.map(({ latest_release: releases }) => releases.length)
  const mostReleases = Math.max(0, ...counts)
  return { found: records.length, mostReleases, bytes: writeChunk(records, form, scratch) }
}

const TARGET_BYTES = 1 << 16

function writeChunk(
  records: readonly VersionRecord[],
  form: ChunkForm,
  scratch: Scratch,
): Uint8Array<ArrayBuffer> {
  if (form.kind === 'count' || records.length === 0) return new Uint8Array(0)
  if (form.kind === 'json') {
    // Removes the brackets and, in indented JSON, the adjacent line breaks.
    const cut = form.pretty ? 2 : 1
    const text = JSON.stringify(records, null, form.pretty ? 2 : 0).slice(cut, -cut)
    return new TextEncoder().encode(text)
  }
  const sink = new ByteSink(scratch.bytes('versions', TARGET_BYTES))
  const hits = records.map((record) => ({ ...record }))
  const { columns, form: table } = form
  writeTable(hits, sink, { form: table, columns, types: new Map() })
  return sink.take()
}
