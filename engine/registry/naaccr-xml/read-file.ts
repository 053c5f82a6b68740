import { pauses } from '../../shared/concurrency/in-slices.ts'
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

/**
 * Reads the beginning of a file of a registry, and then its patients, in memory that does not grow with the
 * file. What begins by a record type is of fixed columns, all else NAACCR XML.
 * @param chunks UTF-8
 * @param replaceable ids of items whose places are wanted; patients have their texts then
 * @throws EngineError bad_input, naming line and path; where a dictionary is missing, which one
 */
export async function openFile(
  chunks: AsyncIterable<Uint8Array>,
  find: FindDictionary,
  replaceable?: ReadonlySet<string>,
): Promise<ReadFile> {
  const texts = textsOf(chunks)
  // Not awaited: a read that is under way may last as long as its sender does nothing.
  const close = () => void texts.return(undefined).then(undefined, () => {})
  try {
    const first = await firstOf(texts)
    const all = followed([first], texts)
    const open = isFixed(first) ? openFixedColumns : openXml
    return { ...(await open(all, find, { replaceable })), close }
  } catch (error) {
    close()
    throw error
  }
}

async function openXml(
  texts: AsyncGenerator<string>,
  find: FindDictionary,
  { replaceable }: { readonly replaceable: ReadonlySet<string> | undefined },
): Promise<OpenedFile> {
  const { before, found } = await readHead(texts)
  const { head, prefix, otherPrefixes } = found
  const uris = [head.baseDictionaryUri, ...head.userDictionaryUris]
  const definitions = await findDefinitions(uris, find)
  const options = { definitions, recordType: head.recordType, prefix, otherPrefixes, replaceable }
  const structure = new Structure(options)
  return {
    head,
    definitions,
    prefix: prefix === '' ? '' : `${prefix}:`,
    patients: () => patientsOf(structure, before, texts),
    rootFaults: () => structure.rootFaults,
    rest: () => structure.rest,
  }
}

async function readHead(texts: AsyncGenerator<string>) {
  const reader = new HeadReader()
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
  before: readonly string[],
  texts: AsyncGenerator<string>,
): AsyncGenerator<readonly Patient[]> {
  const pause = pauses()
  for await (const text of followed(before, texts)) {
    await pause()
    const patients = structure.write(text)
    if (patients.length > 0) yield patients
  }
  structure.end()
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

async function* textsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch (cause) {
      throw new EngineError('bad_input', 'the file is not UTF-8', { cause })
    }
  }
  // A body that has come already would be read to its end while nothing else is answered.
  const pause = pauses()
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += STEP_BYTES) {
      await pause()
      yield decode(chunk.subarray(start, start + STEP_BYTES))
    }
  }
  yield decode()
}
