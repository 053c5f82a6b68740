import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { WithSource } from '../../shared/blobs/blob.ts'
import { damage, readFully } from '../../shared/blobs/source.ts'
import type { Job } from '../../shared/executor.ts'
import { CRAM_END, type CraiLine, DEFINITION_BYTES, parseBlock } from '../../shared/formats/cram.ts'
import { craiOf } from './crai.ts'
import { containerAt } from './walk-containers.ts'

/** A requested range of a reference, 0-based and half-open. The name `*` stands for unplaced reads. */
interface WantedSpan {
  readonly name: string
  readonly start: number
  readonly end: number
}

interface ChooseInput extends WithSource {
  /** Path of the CRAI on the local disk. */
  readonly indexPath: string
  readonly spans: readonly WantedSpan[]
}

export interface ChosenContainers {
  /** The file definition and the header container. */
  readonly header: Uint8Array<ArrayBuffer>
  /** File offsets of whole containers that together have all records of the spans, ascending. */
  readonly ranges: readonly { readonly start: number; readonly end: number }[]
  /** Index of the first span whose reference is not in the header. */
  readonly unknown: number | undefined
}

/** The header is part of the ticket, so its size is limited. */
const MAX_HEADER_BYTES = 4 << 20

/**
 * Chooses the containers of a CRAM file that overlap regions, by its index alone. A container with several
 * references is chosen if any of its index lines overlaps.
 * @throws EngineError corrupt_source, no_index
 */
export const chooseContainersJob: Job<ChooseInput, ChosenContainers> = {
  name: 'containers.choose',
  transfer: ({ header }) => [header.buffer],
  run({ source, indexPath, spans }, scratch) {
    const first = containerAt(source, scratch.bytes('header', 1 << 16), DEFINITION_BYTES)
    const headerEnd = DEFINITION_BYTES + first.headerBytes + first.blockBytes
    if (headerEnd > MAX_HEADER_BYTES) throw damage('header is too long', DEFINITION_BYTES)
    const header = new Uint8Array(headerEnd)
    if (readFully(source, header, 0) < headerEnd) throw damage('header is cut off', 0)
    const numbers = referencesOf(header.subarray(DEFINITION_BYTES + first.headerBytes))
    const unknown = spans.findIndex(({ name }) => name !== '*' && !numbers.has(name))
    if (unknown >= 0) return { header, ranges: [], unknown }
    const lines = craiOf(readFileSync(indexPath))
    const wanted = spans.map(({ name, ...span }) => ({
      reference: numbers.get(name) ?? -1,
      ...span,
    }))
    const last = source.size - CRAM_END.length
    return { header, ranges: rangesOf(lines, wanted, last), unknown: undefined }
  },
}

interface NumberedSpan {
  readonly reference: number
  readonly start: number
  readonly end: number
}

function rangesOf(lines: readonly CraiLine[], spans: readonly NumberedSpan[], last: number) {
  const byReference = new Map<number, NumberedSpan[]>()
  for (const span of spans) {
    const known = byReference.get(span.reference)
    if (known) known.push(span)
    else byReference.set(span.reference, [span])
  }
  const chosen = new Set<number>()
  for (const line of lines) {
    const start = line.start - 1
    const touches = ({ reference, ...span }: NumberedSpan) =>
      reference < 0 || (start < span.end && start + line.span > span.start)
    if (byReference.get(line.reference)?.some(touches)) chosen.add(line.container)
  }
  const starts = [...new Set(lines.map(({ container }) => container))].sort((a, b) => a - b)
  const ranges: { start: number; end: number }[] = []
  for (const [i, start] of starts.entries()) {
    if (!chosen.has(start)) continue
    const end = starts[i + 1] ?? last
    const before = ranges.at(-1)
    if (before?.end === start) before.end = end
    else ranges.push({ start, end })
  }
  return ranges
}

const GZIP = 1

/** Returns reference numbers by name, from the header block, whose text has the layout of BAM's. */
function referencesOf(blocks: Uint8Array): Map<string, number> {
  const { method, headerBytes, dataBytes } = parseBlock(blocks)
  const data = blocks.subarray(headerBytes, headerBytes + dataBytes)
  if (method > GZIP) throw damage('header is packed in a way that is not read', DEFINITION_BYTES)
  const bytes =
    method === GZIP ? gunzipSync(data, { maxOutputLength: MAX_HEADER_BYTES }) : Buffer.from(data)
  const text = bytes.subarray(4, 4 + bytes.readInt32LE(0)).toString()
  const names = text.match(/^@SQ\t(?:[^\n]*\t)?SN:[^\t\n]+/gm) ?? []
  return new Map(names.map((line, number) => [line.slice(line.lastIndexOf('SN:') + 3), number]))
}
