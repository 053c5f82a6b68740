import { open, readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { EngineError } from '../../shared/errors.ts'
import { isGzip } from '../../shared/formats/byte-source.ts'
import {
  type CraiLine,
  isMadeCrai,
  MADE_CRAI_BYTES,
  parseCrai,
  SEVERAL_REFERENCES,
} from '../../shared/formats/cram.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'

/** Limit of an index's text, which is enough for millions of containers. */
const MAX_CRAI_BYTES = 256 << 20

/**
 * Reads a CRAI file.
 * @throws EngineError no_index if it is absent or not a CRAI
 */
export async function readCrai(path: string): Promise<CraiLine[]> {
  const bytes = await unlessAbsent(readFile(path))
  if (!bytes) throw new EngineError('no_index', 'index is not where it was put')
  return craiOf(bytes)
}

/**
 * Parses a CRAI, gzipped or plain.
 * @throws EngineError no_index if it is not a CRAI
 */
export function craiOf(bytes: Buffer): CraiLine[] {
  try {
    const text = isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: MAX_CRAI_BYTES }) : bytes
    return parseCrai(text.toString())
  } catch (cause) {
    throw new EngineError('no_index', 'index file cannot be used; index the file again', { cause })
  }
}

/** Returns whether an index was built by casemill rather than imported along with its file. */
export async function wasMade(path: string): Promise<boolean> {
  const file = await unlessAbsent(open(path))
  if (!file) return false
  try {
    const head = Buffer.alloc(MADE_CRAI_BYTES)
    await file.read(head, 0, head.length, 0)
    return isMadeCrai(head)
  } finally {
    await file.close()
  }
}

/**
 * Returns the first fault of an index as the end of a sentence: it is unreadable, names a slice that the CRAM
 * file does not have, lacks a slice, or covers less than the slice does. Undefined if there is none. Several
 * lines may name the same slice.
 */
export async function craiFault(
  path: string,
  slices: readonly CraiLine[],
): Promise<string | undefined> {
  try {
    return faultOf(await readCrai(path), slices)
  } catch (error) {
    return unreadable(error)
  }
}

/**
 * Returns the fault of an index that cannot be read.
 * @throws any error other than no_index
 */
export function unreadable(error: unknown): string {
  if (!(error instanceof EngineError) || error.code !== 'no_index') throw error
  // An error without a cause says that the index is absent.
  return error.cause ? 'it cannot be read as an index' : error.message
}

function faultOf(given: readonly CraiLine[], slices: readonly CraiLine[]): string | undefined {
  const named = new Map<string, CraiLine[]>()
  for (const line of given) {
    const others = named.get(placeOf(line))
    if (others) others.push(line)
    else named.set(placeOf(line), [line])
  }
  const there = new Set(slices.map(placeOf))
  const gone = given.find((line) => !there.has(placeOf(line)))
  if (gone) return foreignLine(gone.container)
  for (const slice of slices) {
    const { reference, start, container } = slice
    const lines = named.get(placeOf(slice)) ?? []
    if (lines.length === 0) return missingLine(container)
    if (reference === SEVERAL_REFERENCES || lines.some((line) => covers(line, slice))) continue
    const what =
      reference < 0
        ? 'what has no reference'
        : `what is at ${start} of reference ${reference} (counted from 0)`
    return `it does not find ${what}`
  }
  return undefined
}

/** Returns the fault of an index that names a slice which the file does not have. */
export const foreignLine = (container: number): string =>
  `it names a slice in a container at byte ${container} that the file does not have`

/** Returns the fault of an index that has no line for a slice of its file. */
export const missingLine = (container: number): string =>
  `it has no slice of the container at byte ${container}`

const placeOf = ({ container, landmark, bytes }: CraiLine) => `${container} ${landmark} ${bytes}`

function covers(line: CraiLine, { reference, start, span }: CraiLine): boolean {
  if (line.reference !== reference) return false
  return reference < 0 || (line.start <= start && line.start + line.span >= start + span)
}
