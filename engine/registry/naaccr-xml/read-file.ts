import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import { type FindDictionary, findDefinitions } from './find-dictionaries.ts'
import { isFixed, openFixedColumns } from './fixed-columns.ts'
import type { Patient } from './model.ts'
import type { OpenedFile } from './opened-file.ts'
import { HeadReader, type ReadHead } from './read-head.ts'
import { Structure } from './structure.ts'

/** A file of which somebody reads on, until it is closed. */
export interface ReadFile extends OpenedFile {
  /** Gives its source back, which is not read on. Again does no harm. */
  close(): void
}

export interface ReadOptions {
  /** Ids of items whose places are wanted; patients have their texts then. */
  readonly replaceable?: ReadonlySet<string> | undefined
  /** Whether what the standard refuses of single items ends the file. */
  readonly strict?: boolean | undefined
  /** Left out, nothing else shares them. */
  readonly turns?: LoopTurns
}

/**
 * Reads the beginning of a file of a registry, and then its patients, in memory that does not grow with the
 * file. What begins by a record type is of fixed columns, all else NAACCR XML.
 * @param chunks UTF-8
 * @throws EngineError bad_input, naming line and path; where a dictionary is missing, which one
 */
export async function openFile(
  chunks: AsyncIterable<Uint8Array>,
  find: FindDictionary,
  { turns = new LoopTurns(), ...options }: ReadOptions = {},
): Promise<ReadFile> {
  const texts = textsOf(chunks, turns)
  // Not awaited: a read that is under way may last as long as its sender does nothing.
  const close = () => void texts.return(undefined).then(undefined, () => {})
  try {
    const first = await firstOf(texts)
    const all = followed([first], texts)
    const open = isFixed(first) ? openFixedColumns : openXml
    return { ...(await open(all, find, { ...options, turns })), close }
  } catch (error) {
    close()
    throw error
  }
}

async function openXml(
  texts: AsyncGenerator<string>,
  find: FindDictionary,
  { replaceable, strict, turns }: ReadOptions & { readonly turns: LoopTurns },
): Promise<OpenedFile> {
  const { before, found } = await readHead(texts, strict)
  const { head, prefix, otherPrefixes, faults } = found
  const uris = [head.baseDictionaryUri, ...head.userDictionaryUris]
  const definitions = await findDefinitions(uris, find)
  const structure = new Structure({
    ...{ definitions, recordType: head.recordType, prefix, otherPrefixes, replaceable, strict },
  })
  return {
    head,
    definitions,
    prefix: prefix === '' ? '' : `${prefix}:`,
    patients: () => patientsOf(structure, followed(before, texts), turns),
    rootFaults: () => [...faults, ...structure.rootFaults],
    nextLine: () => structure.nextLine,
    rest: () => structure.rest,
  }
}

async function readHead(texts: AsyncGenerator<string>, strict?: boolean) {
  const reader = new HeadReader(strict)
  const before: string[] = []
  for (;;) {
    const { value: text, done } = await texts.next()
    if (done) throw new EngineError('bad_input', 'the file ends before <NaaccrData>')
    before.push(text)
    const found: ReadHead | undefined = reader.write(text)
    if (found) return { before, found }
  }
}

async function* patientsOf(
  structure: Structure,
  texts: AsyncGenerator<string>,
  turns: LoopTurns,
): AsyncGenerator<readonly Patient[]> {
  try {
    for await (const text of texts) {
      await turns.pause()
      structure.write(text)
      const patients = structure.take()
      if (patients.length > 0) yield patients
    }
    structure.end()
  } catch (error) {
    const patients = structure.take()
    if (patients.length > 0) yield patients
    throw error
  }
}

/** The first text that is not empty; the last where all are. */
async function firstOf(texts: AsyncGenerator<string>): Promise<string> {
  for (;;) {
    const { value: text, done } = await texts.next()
    if (done) return ''
    if (text !== '') return text
  }
}

async function* followed(
  first: readonly string[],
  texts: AsyncGenerator<string>,
): AsyncGenerator<string> {
  yield* first
  yield* texts
}

/** What is read at a time, in some milliseconds: a thousand tags of the shortest. */
export const STEP_BYTES = 16 << 10

async function* textsOf(
  chunks: AsyncIterable<Uint8Array>,
  turns: LoopTurns,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decoded = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      return undefined
    }
  }
  // A body that has come already would be read to its end while nothing else is answered.
  let before: Uint8Array = new Uint8Array()
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += STEP_BYTES) {
      await turns.pause()
      const bytes = chunk.subarray(start, start + STEP_BYTES)
      const text = decoded(bytes)
      if (text === undefined) {
        const begun = wellFormed(Buffer.concat([before, bytes]))
        // What is no text at all would be told as bad XML.
        if (TEXT.test(begun)) yield begun
        throw new EngineError('bad_input', NO_TEXT)
      }
      yield text
      before = begunIn(before, bytes)
    }
  }
  const last = decoded()
  if (last === undefined) throw new EngineError('bad_input', NO_TEXT)
  yield last
}

const NO_TEXT = 'the file is not UTF-8'
const TEXT = /^[\t\n\r -\uFFFF]*$/

/** The text before the first bytes that are none. */
const wellFormed = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes, { stream: true }).split('\uFFFD', 1)[0] ?? ''

/** Bytes of a character whose others are still to come. */
function begunIn(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  const last = bytes.length < MAX_BEGUN ? Buffer.concat([before, bytes]) : bytes
  for (let length = 1; length <= Math.min(MAX_BEGUN, last.length); length++) {
    const byte = last[last.length - length] as number
    if (byte >= 0xc0) return length < sizeOf(byte) ? last.slice(-length) : new Uint8Array()
    if (byte < 0x80) break
  }
  return new Uint8Array()
}

const MAX_BEGUN = 3
const sizeOf = (lead: number) => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2)
