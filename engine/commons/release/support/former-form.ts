import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeArrays } from '../../../shared/arrays/array-file.ts'
import type { ArraySchema, NumberArray } from '../../../shared/arrays/array-schema.ts'
import { readArrowArrays } from '../arrow-reader.ts'
import {
  ARRAYS_ENDING,
  ARROW_ENDING,
  BITMAP_ARRAYS,
  COLUMN_ARRAYS,
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

/** Rewrites a release in format 1: with array files of its own form, and without associations. */
export async function toFormerForm(folder: string): Promise<ReleaseManifest> {
  const { associations: _, ...manifest } = await readManifest(folder)
  const files = { ...manifest.files }
  for (const path of Object.keys(files)) {
    const schema = SCHEMAS[path.split('/', 1)[0] ?? '']
    if (!schema) continue
    const { facts, arrays } = await readArrowArrays(join(folder, path), schema)
    await rm(join(folder, path))
    delete files[path]
    if (/^(levels|links)\/(case_genes|gene_effects)\//.test(path)) continue
    const former = path.slice(0, -ARROW_ENDING.length) + ARRAYS_ENDING
    // Those of the schema are there.
    const given = { ...arrays } as Record<string, NumberArray>
    files[former] = await writeArrays(join(folder, former), facts, given)
  }
  const older: ReleaseManifest = { ...manifest, format: 1, files }
  await writeFile(join(folder, MANIFEST_NAME), manifestText(older))
  return older
}
