import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import { type FindDictionary, findDefinitions } from './find-dictionaries.ts'
import { isFixed, openFixedColumns } from './fixed-columns.ts'
import type { Patient } from './model.ts'
import type { OpenedFile } from './opened-file.ts'
import { HeadReader, type ReadHead } from './read-head.ts'
import { Structure } from './structure.ts'

/** An open file, which is read until it is closed. */
export interface ReadFile extends OpenedFile {
  /** Releases the source and stops reading. It may be called repeatedly. */
  close(): void
}

interface ReadOptions {
  /** Ids of items whose positions are needed. Patients include their texts if this is set. */
  readonly replaceable?: ReadonlySet<string> | undefined
  /** Whether a fault of a single item that violates the standard ends the file. */
  readonly strict?: boolean | undefined
  /** Defaults to turns that are not shared. */
  readonly turns?: LoopTurns
}

/**
 * Opens a registry file to read its head and then its patients, in bounded memory. A file that starts with a
 * record type has fixed columns; any other is read as NAACCR XML.
 * @param chunks UTF-8
 * @throws EngineError `bad_input`, naming line and path, or the dictionary if it is missing
 */
export async function openFile(
  chunks: AsyncIterable<Uint8Array>,
  find: FindDictionary,
  { turns = new LoopTurns(), ...options }: ReadOptions = {},
): Promise<ReadFile> {
  const texts = textsOf(chunks, turns)
  // Not awaited, because a pending read may last as long as its sender stays idle.
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

/** Returns the first non-empty text, or an empty one at the end. */
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

/** Block size that takes a few milliseconds to read: about a thousand of the shortest tags. */
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
  // Pauses, because a body that has already arrived would otherwise block the thread until its end.
  let before: Uint8Array = new Uint8Array()
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += STEP_BYTES) {
      await turns.pause()
      const bytes = chunk.subarray(start, start + STEP_BYTES)
      const text = decoded(bytes)
      if (text === undefined) {
        const begun = wellFormed(Buffer.concat([before, bytes]))
        // Without this check, binary data would be reported as invalid XML.
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

/** Returns the text before the first invalid bytes. */
const wellFormed = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes, { stream: true }).split('\uFFFD', 1)[0] ?? ''

/** Returns the bytes of an incomplete character at the end. */
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
