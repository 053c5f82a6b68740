import type { Job } from '../../../shared/executor.ts'
import { parseHeader } from '../../../shared/formats/bam.ts'
import { blockFrame, inflateBlock } from '../../../shared/formats/bgzf.ts'
import type { AlignmentHeader } from '../header.ts'

interface SamHeaderInput {
  readonly packed: AlignmentHeader['packed']
}

/**
 * Writes the header of a SAM file: the text of the BAM header. If the text has no lines for references, one is
 * added per reference, as samtools does.
 */
export const samHeaderJob: Job<SamHeaderInput, Uint8Array<ArrayBuffer>> = {
  name: 'slicing.sam-header',
  transfer: (text) => [text.buffer],
  run({ packed }) {
    const bytes = inflateAll(packed)
    const header = parseHeader(bytes)
    // Cannot happen: the header has been parsed before, and repacked bytes are complete.
    if (typeof header === 'number') throw new TypeError('header is cut off')
    const given = Buffer.from(header.text.buffer, header.text.byteOffset, header.text.length)
    const nul = given.indexOf(0)
    const text = nul === -1 ? given : given.subarray(0, nul)
    const needsEnd = text.length > 0 && text.at(-1) !== 10
    const references = namesReferences(text) ? [] : header.names
    const lines = references.map((name, i) => `@SQ\tSN:${name}\tLN:${header.lengths[i]}\n`)
    const parts = [text, Buffer.from(needsEnd ? '\n' : ''), Buffer.from(lines.join(''))]
    return Uint8Array.from(Buffer.concat(parts))
  },
}

/** Whether the text has a line that names a reference. */
const namesReferences = (text: Buffer): boolean =>
  text.indexOf('@SQ\t') === 0 || text.includes('\n@SQ\t')

function inflateAll(packed: Uint8Array): Buffer {
  const parts: Uint8Array[] = []
  for (let at = 0; at < packed.length; ) {
    const frame = blockFrame(packed, at, packed.length)
    if (!frame) break
    parts.push(inflateBlock(packed, frame))
    at = frame.end
  }
  return Buffer.concat(parts)
}
