import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type FileIdentity, sameIdentity } from '../../../shared/blobs/identity.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { BlockList } from './block-file.ts'
import { type GenePaths, loadGeneDirectory, openGeneNumbers } from './gene-file.ts'

/**
 * Verifies the copy of a file's values that is sorted by gene, if there is one. It must be complete and belong
 * to the current state of the file, and its blocks must match their checksums. Yields a message for each
 * problem.
 */
export async function* checkGenes(
  paths: GenePaths,
  identity: FileIdentity,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const file = await openGeneNumbers(paths.numbers)
  try {
    const loaded = await loadGeneDirectory(paths.directory)
    if (!loaded && !file) return
    if (!loaded) yield 'the directory of its numbers by gene is missing'
    else if (!file) yield 'its numbers by gene are missing'
    else if (!sameIdentity(loaded.identity, identity)) {
      yield 'the file changed after its numbers were put into the order of genes'
    } else {
      const { numbers, cellNames, annotations } = loaded.directory
      let bad = 0
      for (const list of [cellNames, ...(annotations ? [annotations.codes] : []), numbers]) {
        bad += await damagedBlocks(file, list, signal)
      }
      if (bad > 0) yield `${bad} blocks of its numbers by gene are damaged`
    }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    yield `its numbers by gene: ${error.message}`
  } finally {
    await file?.close()
  }
}

async function damagedBlocks(
  file: FileHandle,
  { offset, length, checksum }: BlockList,
  signal: AbortSignal | undefined,
): Promise<number> {
  let buffer = Buffer.alloc(1 << 16)
  let bad = 0
  for (const [i, bytes] of length.entries()) {
    signal?.throwIfAborted()
    if (bytes > buffer.length) buffer = Buffer.alloc(2 * bytes)
    const block = buffer.subarray(0, bytes)
    const { bytesRead } = await file.read(block, 0, bytes, offset[i] ?? 0)
    if (bytesRead < bytes || crc32(block) !== checksum[i]) bad++
  }
  return bad
}
