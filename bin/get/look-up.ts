import { ResponseError } from './errors.ts'
import { isPlainId } from './names.ts'
import { retrying } from './retry.ts'
import type { Trip } from './trip.ts'
import { described, type Wanted } from './wanted.ts'

/** Number of ids in one look-up request, the same as other clients of the interface send. */
export const LOOK_UP_IDS = 500

const FIELDS = ['file_id', 'file_name', 'file_size', 'md5sum']

/** Connection, request limit and retry settings that a look-up takes from the run of the command. */
type LookUpTrip = Pick<Trip, 'link' | 'lanes' | 'patience' | 'signal'>

/** Replaces each file by its latest version. A file without a newer version on the server stays. */
export async function findLatest(wanted: readonly Wanted[], trip: LookUpTrip): Promise<Wanted[]> {
  const json = { ids: wanted.map(({ id }) => id) }
  const ask = () => trip.link.askJson({ path: 'files/versions', json })
  const answer = await retrying(trip, () => trip.lanes.use(ask)).catch((error) => {
    // The server has none of the files. Later requests for their bytes report this for each file.
    if (error instanceof ResponseError && error.status === 404) return []
    throw error
  })
  const latest = new Map<string, string>()
  for (const each of listOf(answer)) {
    const { id, latest_id } = each
    if (typeof id === 'string' && typeof latest_id === 'string' && isPlainId(latest_id)) {
      latest.set(id.toLowerCase(), latest_id)
    }
  }
  return wanted.map((one) => {
    const id = latest.get(one.id.toLowerCase())
    // The manifest has name, size and md5 of an older version, so they are not used.
    return id === undefined || id === one.id.toLowerCase() ? one : { id, folder: id }
  })
}

/**
 * Adds names, sizes and md5s from the server's records. With these, existing files are recognised and small
 * files can be grouped. With `related`, each main file is followed by its index files.
 */
export async function describeFiles(
  wanted: readonly Wanted[],
  { related }: { readonly related: boolean },
  trip: LookUpTrip,
): Promise<Wanted[]> {
  const isComplete = ({ name, md5, size }: Wanted) =>
    name !== undefined && md5 && size !== undefined
  if (!related && wanted.every(isComplete)) return [...wanted]
  const records = await retrying(trip, () =>
    trip.lanes.use(() => askForRecords(wanted, related, trip)),
  ).catch((error) => {
    // A server may have bytes without records. It then answers with a status that a retry does not change. Index
    // files are known only from records, so they need a successful answer.
    const isFinal = error instanceof ResponseError && !error.isPassing
    if (!isFinal || related) throw error
    return new Map<string, FileRecord>()
  })
  return wanted.flatMap((one) => {
    const record = records.get(one.id.toLowerCase())
    if (!record) return [one]
    const main = { ...descriptionOf(record), ...one }
    return related ? [main, ...indexFilesOf(record, one.folder)] : [main]
  })
}

type FileRecord = Readonly<Record<string, unknown>>

async function askForRecords(wanted: readonly Wanted[], related: boolean, { link }: LookUpTrip) {
  const index = FIELDS.map((field) => `index_files.${field}`)
  const value = wanted.map(({ id }) => id)
  const answer = await link.askJson({
    path: 'files',
    json: {
      filters: { op: 'in', content: { field: 'files.file_id', value } },
      fields: [...FIELDS, ...(related ? index : [])].join(','),
      from: '0',
      size: String(wanted.length),
      format: 'JSON',
    },
  })
  const hits = listOf(objectOf(objectOf(answer).data).hits)
  return new Map(hits.map((hit) => [String(hit.file_id ?? hit.id).toLowerCase(), hit]))
}

function descriptionOf({ file_name, md5sum, file_size }: FileRecord) {
  return described({ name: file_name, md5: md5sum, size: file_size })
}

function indexFilesOf({ index_files }: FileRecord, folder: string): Wanted[] {
  return listOf(index_files).flatMap((file) => {
    const { file_id: id } = file
    return typeof id === 'string' && isPlainId(id) ? [{ id, folder, ...descriptionOf(file) }] : []
  })
}

function objectOf(value: unknown): FileRecord {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function listOf(value: unknown): FileRecord[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}
