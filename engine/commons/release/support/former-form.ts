import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeArrays } from '../../../shared/arrays/array-file.ts'
import type { ArraySchema, NumberArray } from '../../../shared/arrays/array-schema.ts'
import { readArrowArrays } from '../arrow-reader.ts'
import { writeArrowArrays } from '../arrow-writer.ts'
import {
  ARRAYS_ENDING,
  ARROW_ENDING,
  BITMAP_ARRAYS,
  COLUMN_ARRAYS,
  type DatasetLayout,
  INDEX_ARRAYS,
  LEVEL_ARRAYS,
  LINK_ARRAYS,
  type ReleaseManifest,
} from '../layout.ts'
import { MANIFEST_NAME, manifestText, readManifest } from '../manifest.ts'

const SCHEMAS: Readonly<Record<string, ArraySchema>> = {
  levels: LEVEL_ARRAYS,
  columns: COLUMN_ARRAYS,
  bitmaps: BITMAP_ARRAYS,
  links: LINK_ARRAYS,
}

/**
 * Rewrites a release in a former format. In both, columns contain their indexes; in 1, array files are of
 * casemill's own form, and there are no associations.
 */
export async function toFormerForm(folder: string, format: 1 | 2 = 1): Promise<ReleaseManifest> {
  const { associations, ...manifest } = await readManifest(folder)
  const files = { ...manifest.files }
  for (const path of Object.keys(files)) {
    const schema = SCHEMAS[path.split('/', 1)[0] ?? '']
    if (!schema) continue
    const { facts, arrays } = await readArrowArrays(join(folder, path), schema)
    const index = path.replace(/^columns/, 'indexes')
    const rows = index !== path && files[index] ? await readIndex(folder, index) : {}
    await rm(join(folder, path))
    delete files[path]
    if (format === 1 && /^(levels|links)\/(case_genes|gene_effects)\//.test(path)) continue
    // The cast is safe: all arrays that the schema requires were read.
    const given = { ...arrays, ...rows } as Record<string, NumberArray>
    const former = format === 1 ? path.slice(0, -ARROW_ENDING.length) + ARRAYS_ENDING : path
    const write = format === 1 ? writeArrays : writeArrowArrays
    files[former] = await write(join(folder, former), facts, given)
  }
  for (const path of Object.keys(files).filter((one) => one.startsWith('indexes/'))) {
    await rm(join(folder, path))
    delete files[path]
  }
  const datasets = Object.fromEntries(
    Object.entries(manifest.datasets).map(([name, layout]) => [name, withoutIndexes(layout)]),
  ) as ReleaseManifest['datasets']
  const kept = format === 2 && associations ? { associations } : {}
  const older: ReleaseManifest = { ...manifest, ...kept, format, datasets, files }
  await writeFile(join(folder, MANIFEST_NAME), manifestText(older))
  return older
}

const readIndex = async (folder: string, path: string) =>
  (await readArrowArrays(join(folder, path), INDEX_ARRAYS)).arrays

function withoutIndexes(layout: DatasetLayout): DatasetLayout {
  const columns = Object.entries(layout.columns).map(([path, { indexed: _, ...column }]) => [
    path,
    column,
  ])
  return { ...layout, columns: Object.fromEntries(columns) as DatasetLayout['columns'] }
}
