import { readFileSync } from 'node:fs'
import { descriptorShortage } from '../../shared/descriptors.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Job } from '../../shared/executor.ts'
import { type BinIndex, indexBuffers, parseIndex } from '../../shared/formats/bam-index.ts'
import { blockFrame, inflateBlock } from '../../shared/formats/bgzf.ts'

interface IndexInput {
  readonly path: string
}

/** Limit of an inflated CSI or TBI, checked before memory is allocated. */
const MAX_INDEX_BYTES = 1 << 30

/** Reads and parses a BAI, CSI or TBI file. A job, because 100 MB take a second. */
export const indexJob: Job<IndexInput, BinIndex> = {
  name: 'slicing.index',
  transfer: indexBuffers,
  run({ path }) {
    try {
      const bytes = readFileSync(path)
      return parseIndex(inflatedIndex(bytes))
    } catch (cause) {
      const shortage = descriptorShortage(cause)
      if (shortage) throw shortage
      throw new EngineError('no_index', 'index file cannot be used; index the file again', {
        cause,
      })
    }
  },
}

/**
 * Inflates an index if it is compressed.
 * @throws FormatError, EngineError no_index
 */
export function inflatedIndex(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f) return bytes
  const parts: Uint8Array[] = []
  let length = 0
  for (let at = 0; at < bytes.length; ) {
    const frame = blockFrame(bytes, at, bytes.length)
    if (!frame) throw new EngineError('no_index', 'index file is cut off')
    parts.push(inflateBlock(bytes, frame))
    length += frame.inflatedLength
    if (length > MAX_INDEX_BYTES) throw new EngineError('no_index', 'index file is too large')
    at = frame.end
  }
  return Buffer.concat(parts, length)
}
