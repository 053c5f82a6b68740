import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type WrittenFile, writeArrays } from '../../shared/arrays/array-file.ts'
import type { NumberArray } from '../../shared/arrays/array-schema.ts'
import { ARRAYS_ENDING, ARROW_ENDING } from './layout.ts'

/** Files of a release being built, keyed by relative path. */
export type WrittenFiles = Record<string, WrittenFile>

/**
 * Writes an array file of the release. Unless the file is temporary, it is recorded in `files`. Files are synced
 * together at the end of the build, which is ten times as fast.
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

/** Writes an array file in the Arrow format, which other programs can read, too. */
export async function writeArrowKey(
  folder: string,
  key: string,
  facts: Readonly<Record<string, unknown>>,
  arrays: Readonly<Record<string, NumberArray>>,
  files?: WrittenFiles,
): Promise<void> {
  // The writer takes 0.1 seconds to load, so only threads that write a release load it.
  const { writeArrowArrays } = await import('./arrow-writer.ts')
  const path = `${key}${ARROW_ENDING}`
  await mkdir(dirname(join(folder, path)), { recursive: true })
  const written = await writeArrowArrays(join(folder, path), facts, arrays)
  if (files) files[path] = written
}
