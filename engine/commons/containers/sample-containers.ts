import type { OpenBlob } from '../../shared/blobs/blob.ts'
import { EngineError } from '../../shared/errors.ts'
import {
  type ContainerHeader,
  CRAM_END,
  type CraiLine,
  DEFINITION_BYTES,
} from '../../shared/formats/cram.ts'
import { foreignLine, missingLine, readCrai, unreadable } from './crai.ts'
import { containerIn, HEADER_WINDOW } from './walk-containers.ts'

/** Number of containers whose headers are read, one request each. The index of another file misses them. */
const MAX_SAMPLES = 64

/**
 * Returns what an index of a CRAM file in object storage fails to find. It reads the headers of some containers:
 * the first, the last, and others spread between them.
 * @throws EngineError unavailable
 */
export async function sampledCraiFault(
  blob: OpenBlob,
  indexPath: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  let lines: readonly CraiLine[]
  try {
    lines = await readCrai(indexPath)
  } catch (error) {
    return unreadable(error)
  }
  const named = Map.groupBy(lines, ({ container }) => container)
  const places = [...named.keys()].sort((a, b) => a - b)
  const end = blob.identity.size - CRAM_END.length
  const headers = new HeaderReader(blob, end, signal)
  const text = await headers.at(DEFINITION_BYTES)
  if (text === undefined) return 'the file has no header'
  const first = await headers.nextWithSlices(DEFINITION_BYTES, text)
  if (first < (places[0] ?? end)) return missingLine(first)
  for (const i of samplesOf(places.length)) {
    const place = places[i]!
    const header = await headers.at(place)
    if (header === undefined || !isOf(header, named.get(place)!)) return foreignLine(place)
    const next = await headers.nextWithSlices(place, header)
    const expected = places[i + 1] ?? end
    if (next !== expected) return next < expected ? missingLine(next) : foreignLine(expected)
  }
  return undefined
}

/** Returns ascending numbers below `count`, including the first and the last. */
function samplesOf(count: number): readonly number[] {
  const taken = Math.min(count, MAX_SAMPLES)
  return Array.from({ length: taken }, (_, i) =>
    Math.round((i * (count - 1)) / Math.max(1, taken - 1)),
  )
}

/** Returns whether lines of an index may be those of the container. */
function isOf({ landmarks, reference }: ContainerHeader, lines: readonly CraiLine[]): boolean {
  const found = new Set(lines.map(({ landmark }) => landmark))
  if (found.size !== landmarks.length || !landmarks.every((each) => found.has(each))) return false
  return reference < -1 || lines.every((line) => line.reference === reference)
}

class HeaderReader {
  readonly #blob: OpenBlob
  /** File offset behind the last container. */
  readonly #end: number
  readonly #signal: AbortSignal | undefined
  readonly #window = Buffer.alloc(HEADER_WINDOW)

  constructor(blob: OpenBlob, end: number, signal: AbortSignal | undefined) {
    this.#blob = blob
    this.#end = end
    this.#signal = signal
  }

  /** Reads the header at a file offset. Returns undefined if no container begins there. */
  async at(place: number): Promise<ContainerHeader | undefined> {
    const read = await this.#blob.read(this.#window, place, { signal: this.#signal })
    try {
      return containerIn(this.#window.subarray(0, read), place)
    } catch (error) {
      if (error instanceof EngineError) return undefined
      throw error
    }
  }

  /** Returns the offset of the next container with slices, because an index lists no others. */
  async nextWithSlices(place: number, header: ContainerHeader): Promise<number> {
    let next = place + header.headerBytes + header.blockBytes
    while (next < this.#end) {
      const behind = await this.at(next)
      if (behind === undefined || behind.landmarks.length > 0) break
      next += behind.headerBytes + behind.blockBytes
    }
    return next
  }
}
