import { createHash } from 'node:crypto'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { BinIndex } from '../../shared/formats/bam-index.ts'
import type { Alignment } from './alignment.ts'
import type { Selection } from './cuts.ts'
import { RECOMPRESSOR } from './recompressor.ts'

/** Text that is hashed at a time. */
const UPDATE_CHARACTERS = 1 << 14

/**
 * Returns a fingerprint of a slice. Slices with equal fingerprints have equal bytes, in every process. The
 * fingerprint covers the file, the selection, how the edges are found, and the compressor that writes them.
 * @param index index that locates the edges; undefined if the block directory is used
 */
export async function fingerprintOf(
  alignment: Alignment,
  index: BinIndex | undefined,
  { intervals, unplaced }: Selection,
  turns: LoopTurns,
): Promise<string> {
  const hash = createHash('sha256')
  const how = index ? `index ${index.minShift} ${index.depth}` : 'directory'
  const zlib = process.versions.zlib
  hash.update(JSON.stringify([...contentOf(alignment), how, RECOMPRESSOR, zlib, unplaced]))
  let text = ''
  for (const { reference, start, end } of intervals) {
    text += `\n${reference}:${start}-${end}`
    // Hashing each interval in its own call would take most of the time.
    if (text.length < UPDATE_CHARACTERS) continue
    hash.update(text)
    text = ''
    await turns.pause()
  }
  hash.update(text)
  return hash.digest('base64url').slice(0, 22)
}

/**
 * Returns a text that identifies the bytes of the file. A stored file has the same bytes under its id on every
 * node. Linked files and files outside the data folder may change.
 */
function contentOf({ parts: { key, file }, identity }: Alignment): readonly unknown[] {
  const { size, modified, inode } = identity
  if (!file) return [key, size, modified, inode]
  const { id, md5, storage, linkedModified } = file
  if (storage === 's3') return [id, md5, size, inode]
  return [id, md5, size, linkedModified === null ? '' : modified]
}
