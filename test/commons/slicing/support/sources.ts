import { existsSync, readdirSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { available } from '../../../available.ts'
import { SHARED_BAM, samtools } from './clients.ts'

/** A BAM file with all its indexes. */
export interface SourceFile {
  readonly path: string
  readonly indexPaths: readonly string[]
}

/** The BAM files of the shared folder, as paths relative to it. */
export function sharedBams(): string[] {
  if (!available.shared) return []
  const all = readdirSync(SHARED_BAM, { recursive: true, withFileTypes: true })
  return all
    .filter((entry) => entry.isFile() && entry.name.endsWith('.bam'))
    .map((entry) => relative(SHARED_BAM, join(entry.parentPath, entry.name)))
    .sort()
}

/** The indexes next to a BAM file. */
export function indexesBeside(path: string): string[] {
  const stem = path.replace(/\.bam$/, '')
  const usual = [`${path}.bai`, `${path}.csi`, `${stem}.bai`, `${stem}.csi`]
  return [...usual, `${stem}.no_linear_index.bam.bai`].filter((candidate) => existsSync(candidate))
}

/** Copies a file without an index, and adds a BAI and a CSI with small windows. */
export async function indexedCopy(path: string, folder: string): Promise<SourceFile> {
  const copy = join(folder, basename(path))
  await copyFile(path, copy)
  await samtools('index', '-b', copy, `${copy}.bai`)
  await samtools('index', '-c', '-m', '12', copy, `${copy}.csi`)
  return { path: copy, indexPaths: [`${copy}.bai`, `${copy}.csi`] }
}
