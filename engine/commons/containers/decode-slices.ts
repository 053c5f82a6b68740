import type { CramFile } from '@gmod/cram'
import type { GenericFilehandle } from 'generic-filehandle2'
import type { WithSource } from '../../shared/blobs/blob.ts'
import { type ByteSource, damage, MissingBytes, readFully } from '../../shared/blobs/source.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Job } from '../../shared/executor.ts'
import { CHECKSUM_BYTES, type CraiLine, parseBlock } from '../../shared/formats/cram.ts'
import { containerAt, HEADER_WINDOW, sliceAt } from './walk-containers.ts'

interface DecodeInput extends WithSource {
  /** File offset of the container. */
  readonly container: number
  /** Slices of the container that have several references. */
  readonly slices: readonly Pick<CraiLine, 'landmark' | 'bytes'>[]
}

/** Maximum number of records per slice. Writers put some thousands in a slice. A decoded record takes about 1 kB. */
const MAX_RECORDS = 200_000
const MAX_RAW_BYTES = 256 << 20

/**
 * Finds the ranges that slices with several references cover. Slice headers do not state them, so the slices are
 * decoded. Like in `samtools index`, each run of records of one reference gives one line.
 * @throws EngineError corrupt_source; bad_input for a slice that is too large to decode or not sorted
 */
export const decodeSlicesJob: Job<DecodeInput, readonly CraiLine[]> = {
  name: 'containers.decode-slices',
  async run({ source, container, slices }, scratch) {
    const window = scratch.bytes('header', HEADER_WINDOW)
    const { headerBytes } = containerAt(source, window, container)
    // Only a few files have such slices, so the decoder is loaded when one is found.
    const { CramFile } = await import('@gmod/cram')
    const file = new CramFile({ filehandle: handleOf(source), cacheSize: 1 })
    const lines: CraiLine[] = []
    for (const { landmark, bytes } of slices) {
      const place = container + headerBytes + landmark
      requireDecodable(source, window, place, place + bytes)
      const records = await recordsOf(file, { container, landmark, bytes }, place)
      lines.push(...linesOf(records, { container, landmark, bytes }))
    }
    return lines
  },
}

/** Fields of a decoded record that are used here. */
interface DecodedRecord {
  readonly sequenceId: number
  readonly alignmentStart: number
  readonly lengthOnRef: number | undefined
  readonly flags: number
}

async function recordsOf(
  file: CramFile,
  { container, landmark, bytes }: SlicePlace,
  place: number,
): Promise<readonly DecodedRecord[]> {
  try {
    const slice = file.getContainerAtPosition(container).getSlice(landmark, bytes)
    return await slice.getRecords(() => true, { decodeTags: false })
  } catch (cause) {
    if (cause instanceof MissingBytes) throw cause
    throw damage('slice that cannot be decoded', place, cause)
  }
}

type SlicePlace = Pick<CraiLine, 'container' | 'landmark' | 'bytes'>

/**
 * Rejects a slice that is too large to decode.
 * @throws EngineError bad_input, corrupt_source
 */
function requireDecodable(source: ByteSource, window: Buffer, place: number, end: number): void {
  const { records } = sliceAt(source, window, place)
  let raw = 0
  for (let at = place; at < end; ) {
    const head = window.subarray(0, readFully(source, window.subarray(0, 32), at))
    const block = parseBlock(head)
    raw += block.rawBytes
    at += block.headerBytes + block.dataBytes + CHECKSUM_BYTES
  }
  if (records <= MAX_RECORDS && raw <= MAX_RAW_BYTES) return
  const message = `slice at byte ${place} of the file has records of several references, ${records} of ${raw} bytes, and at most ${MAX_RECORDS} of ${MAX_RAW_BYTES} are decoded; write it with fewer to a slice: samtools view --output-fmt cram,seqs_per_slice=10000`
  throw new EngineError('bad_input', message)
}

const UNMAPPED = 4

function linesOf(records: readonly DecodedRecord[], place: SlicePlace): CraiLine[] {
  const lines: (CraiLine & { span: number })[] = []
  let before: DecodedRecord | undefined
  for (const record of records) {
    const { sequenceId: reference, alignmentStart: start } = record
    const length = record.flags & UNMAPPED ? 1 : Math.max(1, record.lengthOnRef ?? 1)
    const line = lines.at(-1)
    if (line?.reference === reference) {
      if (before && start < before.alignmentStart) throw outOfOrder()
      line.span = Math.max(line.span, start + length - line.start)
    } else {
      lines.push({ reference, start, span: length, ...place })
    }
    before = record
  }
  return lines
}

/** Creates the error for unsorted records, which `samtools index` rejects too. */
export const outOfOrder = () => new EngineError('bad_input', NOT_SORTED, { at: ORDER })

/** Marks errors (in `at`) about the order of records. */
export const ORDER = 'order'
const NOT_SORTED = 'records are not in coordinate order'

/** Adapts a source for the CRAM library. If bytes are not cached yet, the job is run again after they are loaded. */
function handleOf(source: ByteSource): GenericFilehandle {
  return {
    async read(length, position) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, source.size - position)))
      return bytes.subarray(0, readFully(source, bytes, position))
    },
    readFile: unread,
    stat: async () => ({ size: source.size }),
    close: async () => {},
  }
}

async function unread(): Promise<never> {
  throw new TypeError('a file is not read whole here')
}
