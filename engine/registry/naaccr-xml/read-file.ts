import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import type { FileForm } from './file-form.ts'
import { type FindDictionary, findDefinitions } from './find-dictionaries.ts'
import { isFixed, openFixedColumns } from './fixed-columns.ts'
import type { OpenedFile } from './opened-file.ts'
import { HeadReader, type ReadHead } from './read-head.ts'
import { blocksOf, type FileStep, type PatientBlock, STEP_BYTES } from './split-file.ts'
import { XmlSplitter } from './split-xml.ts'
import { Utf8Steps } from './utf8-steps.ts'

/** An open file, which is read until it is closed. */
export interface ReadFile extends OpenedFile {
  /**
   * Yields blocks of patients, and the end of the file. Call it once.
   * @param memoryFor allocates memory for a block, with room for answers before it
   */
  blocks(memoryFor: (bytes: number) => Uint8Array<SharedArrayBuffer>): AsyncGenerator<PatientBlock>
  /** Releases the source and stops reading. It may be called repeatedly. */
  close(): void
}

/** The items of a file that a job needs. */
export interface NeededItems {
  /** Ids of the items whose values are read. */
  readonly used: ReadonlySet<string>
  /** Ids of the items that are written into the text of the file, which is kept if this is set. */
  readonly replaceable?: ReadonlySet<string> | undefined
  /** Whether a fault of a single item ends the file, and nothing is written after an error. */
  readonly strict?: boolean | undefined
}

interface ReadOptions {
  /** Whether a fault of the file's time ends the file. */
  readonly strict?: boolean | undefined
  /** Defaults to turns that are not shared. */
  readonly turns?: LoopTurns | undefined
}

/**
 * Opens a registry file to read its head and then blocks of its patients, in bounded memory. A file that starts
 * with a record type has fixed columns; any other is read as NAACCR XML.
 * @param chunks UTF-8
 * @throws EngineError `bad_input`, naming line and path, or the dictionary if it is missing
 */
export async function openFile(
  chunks: AsyncIterable<Uint8Array>,
  find: FindDictionary,
  { turns = new LoopTurns(), strict }: ReadOptions = {},
): Promise<ReadFile> {
  const source = stepsOf(chunks)
  // Not awaited, because a pending read may last as long as its sender stays idle.
  const close = () => void source.return(undefined).then(undefined, () => {})
  try {
    const begun = new BegunFile(source, turns)
    const first = await begun.text()
    const opened = isFixed(first)
      ? await openFixedColumns(await begun.line(first), find)
      : await openXml(begun, first, find, strict)
    const file = { prefix: '', ...opened }
    const blocks: ReadFile['blocks'] = (memoryFor) =>
      blocksOf({ steps: begun.all() }, file.splitter, turns, memoryFor)
    return { ...file, blocks, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Returns what a thread needs to read the blocks of a file. */
export function formOf(
  { kind, head, definitions, prefix, otherPrefixes = new Set(), isXml11 = false }: OpenedFile,
  { used, replaceable, strict = false }: NeededItems,
): FileForm {
  return {
    kind,
    head,
    items: definitions.all(),
    prefix,
    isXml11,
    strict,
    otherPrefixes: [...otherPrefixes],
    used: [...used],
    replaceable: replaceable && [...replaceable],
  }
}

async function openXml(
  begun: BegunFile,
  first: string,
  find: FindDictionary,
  strict: boolean | undefined,
): Promise<OpenedFile> {
  const reader = new HeadReader(strict)
  let found: ReadHead | undefined
  for (let text = first; !found; ) {
    found = reader.write(text)
    if (found) break
    text = await begun.text()
    if (text === '') throw new EngineError('bad_input', 'the file ends before <NaaccrData>')
  }
  const { head, prefix, otherPrefixes, isXml11, faults } = found
  const definitions = await findDefinitions(
    [head.baseDictionaryUri, ...head.userDictionaryUris],
    find,
  )
  const splitter = new XmlSplitter(prefix === '' ? '' : `${prefix}:`, isXml11)
  return { kind: 'xml', head, definitions, prefix, otherPrefixes, isXml11, faults, splitter }
}

/** Keeps the steps from which the head of a file is read, because they are read again with the first patients. */
class BegunFile {
  readonly #source: AsyncGenerator<FileStep>
  readonly #turns: LoopTurns
  readonly #decoder = new Utf8Steps(true)
  readonly #steps: FileStep[] = []
  #error: EngineError | undefined

  constructor(source: AsyncGenerator<FileStep>, turns: LoopTurns) {
    this.#source = source
    this.#turns = turns
  }

  /**
   * Returns the next text that is not empty, or an empty one at the end.
   * @throws EngineError `bad_input` for bytes that are not UTF-8, after the text before them
   */
  async text(): Promise<string> {
    for (;;) {
      if (this.#error) throw this.#error
      await this.#turns.pause()
      const { value: step, done } = await this.#source.next()
      if (!done) this.#steps.push(step)
      const { text, error } = this.#decoder.decode(step?.bytes)
      this.#error = error
      if (text !== '' || (done && !error)) return text
    }
  }

  /** Returns a text with at least one whole line, as far as a line may be long. */
  async line(first: string): Promise<string> {
    let line = first
    while (!/[^\r\n][\r\n]/.test(line) && line.length <= LONGEST_LINE) {
      const more = await this.text()
      if (more === '') break
      line += more
    }
    return line
  }

  /** Yields the whole file. */
  async *all(): AsyncGenerator<FileStep> {
    yield* this.#steps.splice(0)
    yield* this.#source
  }
}

/** More characters than the longest line of the standard has. */
const LONGEST_LINE = 1 << 16

/** Divides chunks into steps that take a few milliseconds to read. */
export async function* stepsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FileStep> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += STEP_BYTES) {
      const isLast = start + STEP_BYTES >= chunk.length
      yield { bytes: chunk.subarray(start, start + STEP_BYTES), isLast }
    }
  }
}
