import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type WrittenFile, writeArrays } from '../../shared/arrays/array-file.ts'
import type { NumberArray } from '../../shared/arrays/array-schema.ts'
import { ARRAYS_ENDING, ARROW_ENDING } from './layout.ts'

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
  const path = `${key}${ARRAYS_ENDING}`
  await mkdir(dirname(join(folder, path)), { recursive: true })
  const written = await writeArrays(join(folder, path), facts, arrays, { sync: false })
  if (files) files[path] = written
}

/** The same as an Arrow file, which other programs read too. */
export async function writeArrowKey(
  folder: string,
  key: string,
  facts: Readonly<Record<string, unknown>>,
  arrays: Readonly<Record<string, NumberArray>>,
  files?: WrittenFiles,
): Promise<void> {
  // Takes a tenth of a second to load: only threads that write a release do.
  const { writeArrowArrays } = await import('./arrow-writer.ts')
  const path = `${key}${ARROW_ENDING}`
  await mkdir(dirname(join(folder, path)), { recursive: true })
  const written = await writeArrowArrays(join(folder, path), facts, arrays)
  if (files) files[path] = written
}
