import { checkId, checkName } from '../../../shared/blobs/blob-key.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { DescribedFile } from '../../files/records/described-files.ts'
import type { FileFacts } from '../../files/records/file-record.ts'
import type { ManifestRow } from './manifest-rows.ts'
import type { ReleaseRecords } from './records.ts'

/** A file to store: of a row of the manifest, or an index file that a record names. */
export interface Wanted {
  readonly row: ManifestRow
  /** Record of the file in the current release. */
  readonly described: DescribedFile | undefined
  /** Whether the file is an index that only a record names, so that it may be missing. */
  readonly isExtra: boolean
}

/** Returns the files of the rows with their records, followed by the index files that the records name. */
export async function wantedOf(
  rows: readonly ManifestRow[],
  records: ReleaseRecords | undefined,
): Promise<readonly Wanted[]> {
  if (!records) return rows.map((row) => ({ row, described: undefined, isExtra: false }))
  const described = await records.describe(rows.map(({ id }) => id))
  const wanted = rows.map((row) => ({ row, described: described.get(row.id), isExtra: false }))
  const named = new Set(rows.map(({ id }) => id))
  const extras = new Map<string, ManifestRow>()
  for (const index of wanted.flatMap((one) => indexesOf(one.described))) {
    const row = rowOf(index)
    if (row && !named.has(row.id)) extras.set(row.id, row)
  }
  if (extras.size === 0) return wanted
  const also = await records.describe([...extras.keys()])
  return [
    ...wanted,
    ...[...extras.values()].map((row) => ({ row, described: also.get(row.id), isExtra: true })),
  ]
}

/** Returns the index files that a file's own record names. */
export function indexesOf(described: DescribedFile | undefined): readonly FileFacts[] {
  return described?.record?.related.filter(({ group }) => group === 'index_files') ?? []
}

/** Returns the manifest row of a file, or undefined if the record is incomplete. */
function rowOf({ id, fileName, md5, size }: FileFacts): ManifestRow | undefined {
  if (fileName === undefined || md5 === undefined || size === undefined) return undefined
  try {
    checkId(id)
    checkName(fileName, 'filename')
    return { id, fileName, md5, size }
  } catch {
    return undefined
  }
}

/**
 * Checks that the manifest, the release and the stored file describe the same bytes.
 * @throws EngineError conflict if the manifest and the release give different md5s or sizes; already_exists
 *   if a file with another md5 is stored under the id
 */
export function mustAgree({ row, described }: Wanted, known: StoredFile | undefined): void {
  const { md5, size } = row
  const recorded = described?.facts
  if (recorded?.md5 !== undefined && recorded.md5 !== md5) {
    throw new EngineError('conflict', `md5 is ${md5} in the manifest, ${recorded.md5} on record`)
  }
  if (recorded?.size !== undefined && recorded.size !== size) {
    throw new EngineError('conflict', `size is ${size} in the manifest, ${recorded.size} on record`)
  }
  if (known && known.md5 !== md5) {
    throw new EngineError(
      'already_exists',
      `id belongs to a stored file with md5 ${known.md5}, the manifest says ${md5}; give these bytes another id`,
    )
  }
}
