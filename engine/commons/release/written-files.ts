import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type WrittenFile, writeArrays } from '../../shared/arrays/array-file.ts'
import type { NumberArray } from '../../shared/arrays/array-schema.ts'

/** Files of a release under way, by relative path. */
export type WrittenFiles = Record<string, WrittenFile>

/**
 * Writes an array file of the release; noted in `files` when it is to stay. A build has all of its
 * files on the disk at its end, which takes a tenth of the time.
 */
export async function writeKey(
  folder: string,
  key: string,
  facts: object,
  arrays: Readonly<Record<string, NumberArray>>,
  files?: WrittenFiles,
): Promise<void> {
  const name = `${key}.arrays`
  await mkdir(dirname(join(folder, name)), { recursive: true })
  const written = await writeArrays(join(folder, name), facts, arrays, { sync: false })
  if (files) files[name] = written
}
