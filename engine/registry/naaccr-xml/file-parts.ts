import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { Definitions } from './dictionary.ts'
import type { FileForm } from './file-form.ts'
import { fixedSplitter } from './fixed-columns.ts'
import { type ReadFile, stepsOf } from './read-file.ts'
import { type BeginPlace, blocksOf, FILE_BEGIN, type Splitter } from './split-file.ts'
import { XmlSplitter } from './split-xml.ts'

// A large file is divided into parts of whole patients, which processes of several machines answer. Only the
// bytes are scanned for it, as for blocks; the patients are read once, with the parts.

/** A part of a file: whole patients, with the beginning or the end of the file. */
export interface FilePart {
  /** Range in the file in bytes, 0-based and half-open. */
  readonly start: number
  readonly end: number
  /** Line number and counts at the start of the part. */
  readonly place: BeginPlace
  /** Whether the part is the last one of the file. */
  readonly isLast: boolean
}

/** The whole file as one part. */
export const wholeFile = (bytes: number): FilePart => ({
  start: 0,
  end: bytes,
  place: FILE_BEGIN,
  isLast: true,
})

/**
 * Divides a file into parts.
 * @param chunks of the whole file
 * @param bytes size of a part, which ends with the first block of patients that reaches it
 */
export async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  form: FileForm,
  bytes: number,
): AsyncGenerator<FilePart> {
  let memory = new Uint8Array(new SharedArrayBuffer(0))
  // Only the sizes and places of blocks are used, so that all can have the same memory.
  const memoryFor = (size: number) => {
    if (memory.length < size) memory = new Uint8Array(new SharedArrayBuffer(2 * size))
    return memory.subarray(0, size)
  }
  const blocks = blocksOf({ steps: stepsOf(chunks) }, splitterOf(form), new LoopTurns(), memoryFor)
  let begun: Omit<FilePart, 'isLast'> = { start: 0, end: 0, place: FILE_BEGIN }
  for await (const { memory: of, start, place: found } of blocks) {
    const length = of.length - start
    // The last block of a broken file may be empty, and must not become a part.
    if (length > 0 && begun.end - begun.start >= bytes) {
      yield { ...begun, isLast: false }
      const { end: _, ...place } = found
      begun = { start: begun.end, end: begun.end, place }
    }
    begun = { ...begun, end: begun.end + length }
  }
  yield { ...begun, isLast: true }
}

/** Opens a part of a file, of which `chunks` are the bytes, for reading blocks as from a whole file. */
export function openPart(
  chunks: AsyncIterable<Uint8Array>,
  form: FileForm,
  { place, isLast }: Pick<FilePart, 'place' | 'isLast'>,
): Pick<ReadFile, 'blocks' | 'close'> {
  const steps = stepsOf(chunks)
  const source = { steps, begin: place, end: isLast ? 'file' : 'patient' } as const
  return {
    blocks: (memoryFor) => blocksOf(source, splitterOf(form, place), new LoopTurns(), memoryFor),
    close: () => void steps.return(undefined).then(undefined, () => {}),
  }
}

function splitterOf(
  { kind, head, items, prefix, isXml11 }: FileForm,
  begin?: BeginPlace,
): Splitter {
  if (kind === 'xml') return new XmlSplitter(prefix === '' ? '' : `${prefix}:`, isXml11, begin)
  return fixedSplitter({ head, definitions: new Definitions([{ uri: '', items }]) }, begin)
}
