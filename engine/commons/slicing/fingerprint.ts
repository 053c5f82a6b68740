import { createHash } from 'node:crypto'
import type { BinIndex } from '../../shared/formats/bam-index.ts'
import type { Alignment } from './alignment.ts'
import type { Selection } from './cuts.ts'
import { RECOMPRESSOR } from './recompressor.ts'

/**
 * Equal for equal bytes, in every process: a slice is made of its file, of what was taken out of it,
 * of how the edges were found, and of the compressor that made them.
 * @param index what the edges are found by, unless it is the block directory
 */
export function fingerprintOf(
  alignment: Alignment,
  index: BinIndex | undefined,
  { intervals, unplaced }: Selection,
): string {
  const hash = createHash('sha256')
  const how = index ? `index ${index.minShift} ${index.depth}` : 'directory'
  const zlib = process.versions.zlib
  hash.update(JSON.stringify([...contentOf(alignment), how, RECOMPRESSOR, zlib, unplaced]))
  for (const { reference, start, end } of intervals) hash.update(`\n${reference}:${start}-${end}`)
  return hash.digest('base64url').slice(0, 22)
}

/**
 * What says which bytes the file has. A stored one has those that were imported under its id, on
 * every node. Where it is linked to, and where it is no stored one, others may change it.
 */
function contentOf({ parts: { key, file }, identity }: Alignment): readonly unknown[] {
  const { size, modified, inode } = identity
  if (!file) return [key, size, modified, inode]
  const { id, md5, storage, linkedModified } = file
  if (storage === 's3') return [id, md5, size, inode]
  return [id, md5, size, linkedModified === null ? '' : modified]
}
