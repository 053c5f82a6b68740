import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { writeArrays } from '../../../shared/arrays/array-file.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor, Job } from '../../../shared/executor.ts'
import { type StepArrays, VERSIONS_NAME } from '../../release/layout.ts'
import { LineReader } from '../../release/line-reader.ts'
import type { VersionStep } from './step.ts'

interface IndexInput {
  /** Descriptor of the open history file. */
  readonly descriptor: number
  readonly bytes: number
}

/** Returns the hash of an id, ignoring case as records do. */
export const hashOfId = (id: string): number => crc32(id.toLowerCase())

/** Builds the index of a history file, which takes some seconds for a million lines. */
export const indexStepsJob: Job<IndexInput, StepArrays> = {
  name: 'versions.index',
  run: indexSteps,
  transfer: (arrays) => Object.values(arrays).map(({ buffer }) => buffer as ArrayBuffer),
}

/**
 * Writes the index of a history file.
 * @throws EngineError corrupt_source if a line is not a JSON object with an id
 */
export async function writeStepIndex(
  { from, to }: { readonly from: string; readonly to: string },
  executor: Executor,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const file = await open(from, 'r')
  try {
    const { size: bytes } = await file.stat()
    const arrays = await executor.run(indexStepsJob, { descriptor: file.fd, bytes }, { signal })
    await writeArrays(to, {}, { ...arrays }, { sync: false })
  } finally {
    await file.close()
  }
}

function indexSteps({ descriptor, bytes }: IndexInput): StepArrays {
  const starts: number[] = []
  const checksums: number[] = []
  const ids: number[] = []
  const next: number[] = []
  const nextLines: number[] = []
  const reader = new LineReader(descriptor)
  while (nextLine(reader, starts.length)) {
    const line = reader.bytes.subarray(reader.start, reader.end)
    const step = parseStep(line, starts.length)
    if (step.next?.id !== undefined) {
      next.push(hashOfId(step.next.id))
      nextLines.push(starts.length)
    }
    ids.push(hashOfId(step.id))
    starts.push(reader.byteOffset)
    checksums.push(crc32(line))
  }
  starts.push(bytes)
  const byId = sortHashes(Uint32Array.from(ids))
  const byNext = sortHashes(Uint32Array.from(next))
  return {
    starts: Float64Array.from(starts),
    checksums: Uint32Array.from(checksums),
    idHashes: byId.hashes,
    idLines: byId.order,
    nextHashes: byNext.hashes,
    nextLines: byNext.order.map((place) => nextLines[place] ?? 0),
  }
}

/**
 * Reads the line that follows `known` lines. Returns false at the end of the file.
 * @throws EngineError corrupt_source for an empty line, a line longer than 64 MiB, or one that is not UTF-8
 */
function nextLine(reader: LineReader, known: number): boolean {
  try {
    const isThere = reader.next()
    if (reader.number === known + (isThere ? 1 : 0)) return isThere
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause
    throw damagedLine(reader.number - 1)
  }
  throw damagedLine(known)
}

/**
 * Parses a line of the history.
 * @throws EngineError corrupt_source if it is not JSON with an id
 */
function parseStep(line: Buffer, number: number): VersionStep {
  try {
    const step = JSON.parse(line.toString('utf8')) as VersionStep
    if (typeof step.id === 'string') return step
  } catch {
    // The parser's message would quote the line, so the error below is thrown instead.
  }
  throw damagedLine(number)
}

/**
 * Creates the error for a damaged line.
 * @param number index of the line, counted from 0
 */
export function damagedLine(number: number): EngineError {
  const message = `line ${number + 1} of the release's history is damaged; import the release again`
  return new EngineError('corrupt_source', message, { at: VERSIONS_NAME })
}

/** Sorts hashes and returns their original positions. Equal hashes keep their order. */
function sortHashes(given: Uint32Array): { hashes: Uint32Array; order: Uint32Array } {
  let order = Uint32Array.from(given, (_, place) => place)
  for (const shift of [0, 16]) {
    const ends = new Uint32Array(0x1_0001)
    const digit = (place: number) => (given[place]! >>> shift) & 0xffff
    for (const place of order) ends[digit(place) + 1]!++
    for (let i = 1; i < ends.length; i++) ends[i]! += ends[i - 1]!
    const sorted = new Uint32Array(order.length)
    for (const place of order) sorted[ends[digit(place)]!++] = place
    order = sorted
  }
  return { hashes: order.map((place) => given[place]!), order }
}
