import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../engine/shared/index.ts'
import { explainSystemError } from '../engine/shared/internal.ts'

/** An alignment file, named directly or found in a given folder. */
export interface GivenBam {
  readonly path: string
  /** Size in bytes. */
  readonly size: number
}

/** Which files of folders to use. */
export interface FileNames {
  readonly ending: RegExp
  /** Description of the extension for messages. */
  readonly what: string
}

const BAM: FileNames = { ending: /\.bam$/i, what: '.bam' }

/**
 * Returns the files that paths name, each once. A path of a file gives the file itself, a path of a folder gives
 * the matching files below it in name order. A path that names no file is reported to `onError`, and the other
 * files are still found.
 */
export async function bamFilesOf(
  paths: readonly string[],
  onError: (error: EngineError) => void,
  named = BAM,
): Promise<readonly GivenBam[]> {
  const found = new Map<string, GivenBam>()
  const reporting = async <Result>(looking: Promise<Result>): Promise<Result | undefined> => {
    try {
      return await looking
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      onError(error)
      return undefined
    }
  }
  for (const given of paths) {
    for (const path of (await reporting(pathsAt(given, named))) ?? []) {
      const stats = await reporting(statsOf(path))
      if (stats) found.set(path, { path, size: stats.size })
    }
  }
  return [...found.values()]
}

async function pathsAt(path: string, { ending, what }: FileNames): Promise<readonly string[]> {
  const stats = await statsOf(path)
  if (!stats.isDirectory()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch((cause) => {
    throw explainSystemError(cause, path)
  })
  const files = entries
    .filter((entry) => ending.test(entry.name) && (entry.isFile() || entry.isSymbolicLink()))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  if (files.length > 0) return files
  throw new EngineError(
    'not_found',
    `there is no ${what} file in the folder ${JSON.stringify(path)}`,
  )
}

async function statsOf(path: string): Promise<Stats> {
  try {
    return await stat(path)
  } catch (cause) {
    throw explainSystemError(cause, path)
  }
}
