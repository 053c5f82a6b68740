import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { descriptorShortage } from '../../shared/descriptors.ts'
import { EngineError } from '../../shared/errors.ts'
import { NO_PATH, unlessAbsent } from '../../shared/unless-absent.ts'
import { DATASET_NAMES } from '../datasets/define.ts'
import { type DatasetLayout, RELEASE_FORMAT, type ReleaseManifest } from './layout.ts'

export const MANIFEST_NAME = 'manifest.json'

const CHECKSUM = /^\{"crc32":(\d+),/

/** Serialises the manifest. Its first member is the CRC32 of the JSON without that member. */
export function manifestText(manifest: ReleaseManifest): string {
  const text = JSON.stringify(manifest)
  return `{"crc32":${crc32(text)},${text.slice(1)}\n`
}

/** Layout of a dataset that was introduced after a release was built: it has no records. */
const NO_RECORDS: DatasetLayout = Object.freeze({ rows: 0, levels: {}, columns: {}, links: {} })

/**
 * Reads the manifest of the release in a folder. It has a layout for every dataset.
 * @throws EngineError not_found if there is none, corrupt_source if it is not what was written, busy
 */
export async function readManifest(folder: string): Promise<ReleaseManifest> {
  const reading = unlessAbsent(readFile(join(folder, MANIFEST_NAME)), NO_PATH)
  const bytes = await reading.catch((cause: unknown) => {
    throw damage(MANIFEST_NAME, 'cannot be read', cause)
  })
  if (!bytes) {
    throw new EngineError('not_found', `folder contains no release: it has no ${MANIFEST_NAME}`)
  }
  const text = bytes.toString('utf8')
  const [head, checksum] = CHECKSUM.exec(text) ?? []
  const rest = `{${text.slice(head?.length ?? 0, -1)}`
  if (!head || !text.endsWith('\n') || crc32(rest) !== Number(checksum)) {
    throw damage(MANIFEST_NAME, 'is not what was written')
  }
  const manifest = JSON.parse(rest) as ReleaseManifest
  if (manifest.format <= RELEASE_FORMAT) return withEveryDataset(manifest)
  const why = `is of format ${manifest.format}, which a later casemill wrote; this one reads up to ${RELEASE_FORMAT}`
  throw damage(MANIFEST_NAME, why)
}

function withEveryDataset(manifest: ReleaseManifest): ReleaseManifest {
  const lacking = DATASET_NAMES.filter((name) => !Object.hasOwn(manifest.datasets, name))
  if (lacking.length === 0) return manifest
  const layouts = Object.fromEntries(lacking.map((name) => [name, NO_RECORDS]))
  return { ...manifest, datasets: { ...manifest.datasets, ...layouts } }
}

/**
 * Creates the error for a damaged file of a release, naming the field if it belongs to one, or `busy` if
 * files cannot be opened just now.
 */
export function damage(path: string, why: string, cause?: unknown): EngineError {
  const shortage = descriptorShortage(cause)
  if (shortage) return shortage
  const reason = cause instanceof EngineError ? `: ${cause.message}` : ''
  const [, dataset, field] = FIELD_FILE.exec(path) ?? []
  const subject = field === undefined ? '' : `the field "${field}" of ${dataset} cannot be used: `
  return new EngineError(
    'corrupt_source',
    `${subject}"${path}" of the release ${why}${reason}; import the release again`,
    { cause, at: path },
  )
}

const FIELD_FILE = /^(?:columns|bitmaps|indexes)\/([^/]+)\/(.+)\.arr(?:ow|ays)$/
