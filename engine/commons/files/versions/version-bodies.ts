import { EngineError } from '../../../shared/errors.ts'
import { ByteSink } from '../../../shared/formats/byte-sink.ts'
import { orderColumns, type TableForm, writeLine } from '../../../shared/formats/table-cells.ts'
import type { ChunkForm, DescribedVersions } from './describe.ts'
import type { VersionRecord } from './version-records.ts'

/** Yields the chunks of a response for all ids, in order and in a format. */
type Describe = (form: ChunkForm) => AsyncGenerator<DescribedVersions>

/**
 * Streams a JSON array of all records. If all records fit in one chunk, only one chunk is sent.
 * @throws EngineError not_found, before the first byte, if there is no record
 */
export async function* jsonBody(
  describe: Describe,
  { pretty }: { readonly pretty: boolean },
): AsyncGenerator<Uint8Array> {
  const line = pretty ? '\n' : ''
  let last: Buffer | undefined
  for await (const { found, bytes } of describe({ kind: 'json', pretty })) {
    if (found === 0) continue
    if (last) yield last
    last = Buffer.concat([Buffer.from(`${last ? ',' : '['}${line}`), bytes])
  }
  if (!last) throw noneKnown()
  yield Buffer.concat([last, Buffer.from(`${line}]`)])
}

/**
 * Streams a table of all records (data-commons.md 3.5). Its columns depend on all records, so all are
 * examined before the first is written.
 * @throws EngineError not_found, before the first byte, if there is no record
 */
export async function* tableBody(describe: Describe, form: TableForm): AsyncGenerator<Uint8Array> {
  let found = 0
  let mostReleases = 0
  for await (const chunk of describe({ kind: 'count' })) {
    found += chunk.found
    mostReleases = Math.max(mostReleases, chunk.mostReleases)
  }
  if (found === 0) throw noneKnown()
  const releases = Array.from({ length: mostReleases }, (_, i) => `latest_release.${i}`)
  const columns = orderColumns([...SCALARS, ...releases], 'id')
  const header = new ByteSink(Buffer.allocUnsafe(HEADER_BYTES))
  writeLine(header, columns, form)
  let last: Uint8Array = header.take()
  for await (const { bytes } of describe({ kind: 'table', form, columns })) {
    last = Buffer.concat([last, bytes])
    if (last.length < CHUNK_BYTES) continue
    yield last
    last = new Uint8Array(0)
  }
  if (last.length > 0) yield last
}

const HEADER_BYTES = 1024
const CHUNK_BYTES = 1 << 17

const SCALARS: readonly (keyof VersionRecord)[] = [
  'id',
  'filename',
  'version',
  'md5',
  'size',
  'state',
  'release',
  'latest_id',
  'latest_filename',
  'latest_version',
  'latest_md5',
  'latest_size',
  'latest_state',
]

const noneKnown = () => new EngineError('not_found', 'there is no file with any of the ids')
