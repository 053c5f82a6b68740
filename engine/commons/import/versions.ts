import { dirname, join } from 'node:path'
import type { Executor } from '../../shared/executor.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'
import { writeStepIndex } from '../files/versions/step-index.ts'
import { VERSIONS_KEY, VERSIONS_NAME } from '../release/layout.ts'
import { rowsOf } from './database.ts'
import { LineWriter } from './line-writer.ts'
import { mergeInto } from './merge.ts'
import type { Staging } from './staging.ts'

const STEPS = `
  SELECT s.old_id, s.rank, s.place, s.length,
    CAST(coalesce(a.age, 0) + 1 AS INTEGER), r.document
  FROM steps s
    LEFT JOIN ages a ON a.id = s.old_id
    LEFT JOIN (SELECT id, min(document) AS document FROM retired GROUP BY id) r ON r.id = s.old_id
  ORDER BY s.old_id, s.rank, s.place`

/**
 * Writes the replaced files, one JSON object per line in ascending order of ids: `id`, `filename`, `md5`,
 * `size`, `version`, `state`, `data_release`, `release` (in which it was replaced), and `next`, which has the
 * same members for its successor. Members that are not known are omitted.
 */
export async function writeVersions(
  { database, spool }: Staging,
  folder: string,
): Promise<{ readonly path: string; readonly count: number }> {
  const writer = await LineWriter.create(join(folder, VERSIONS_NAME))
  try {
    let open: { readonly id: string; readonly version: JsonObject } | undefined
    for await (const rows of rowsOf(database, STEPS)) {
      for (const row of rows) {
        const [id, , offset, length, version, retired] = row as StepRow
        if (open?.id !== id) {
          if (open) await writer.add(JSON.stringify(open.version))
          const known = retired === null ? {} : (JSON.parse(retired) as JsonObject)
          open = { id, version: { version: String(version), ...known } }
        }
        const step = JSON.parse(spool.read({ offset, length })) as JsonObject
        mergeInto(open.version, step, { isStronger: true, conflicts: new Map() })
      }
    }
    if (open) await writer.add(JSON.stringify(open.version))
  } finally {
    await writer.close()
  }
  return { path: writer.path, count: writer.lines }
}

type StepRow = readonly [string, number, number, number, number, string | null]

/** Returns the members of a replaced file's record that the version history keeps. */
export function retiredVersion(file: JsonObject): JsonObject {
  return {
    filename: file.file_name,
    md5: file.md5sum,
    size: file.file_size,
    version: file.version,
    state: file.state,
    data_release: file.data_release,
  }
}

/** Writes the index of a versions file. Returns the paths of both files, keyed by their names in a release. */
export async function indexVersions(
  { path, count }: { readonly path: string; readonly count: number },
  { executor, signal }: { readonly executor: Executor; readonly signal?: AbortSignal | undefined },
): Promise<Readonly<Record<string, string>>> {
  if (count === 0) return {}
  const name = `${VERSIONS_KEY}.arrays`
  const index = join(dirname(path), name)
  await writeStepIndex({ from: path, to: index }, executor, { signal })
  return { [VERSIONS_NAME]: path, [name]: index }
}
