import { Gate } from '../../shared/concurrency/gate.ts'
import { EngineError } from '../../shared/errors.ts'
import { type ByteStream, generatedStream } from '../../shared/streams/byte-stream.ts'
import { datasetOf } from '../datasets/index.ts'
import { gzipped } from '../files/download/gzip.ts'
import { END_BYTES, padded, tarHeader } from '../files/download/tar-header.ts'
import { DATASET_OF_SET } from './pin.ts'
import { changedMeanwhile, type Sets, type StoredSet } from './sets.ts'

/** A set, and the name of the file to write its ids to. */
export interface SetFile {
  readonly id: string
  /** Required type of the set. Undefined accepts any type. */
  readonly type?: string | undefined
  readonly fileName: string
}

/** Limits: sets per archive, their members in total, and concurrent responses. */
const SET_FILE_LIMITS = Object.freeze({ sets: 100, members: 16_000_000, answers: 16 })
const BUSY = 'too many tables of sets are under way; try again soon'

export interface SetFilesRun {
  /** Whether to write the members that the release no longer has, instead of the members that it has. */
  readonly areLost?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export interface SetAnswer extends ByteStream {
  /** File name of a single table. Undefined for an archive. */
  readonly fileName: string | undefined
  readonly contentType: string
}

/** Downloads of sets as tables of ids. */
export class SetFiles {
  readonly #sets: Pick<Sets, 'get' | 'ids'>
  readonly #clock: () => Date
  readonly #places = new Gate(SET_FILE_LIMITS.answers, 0, BUSY)

  constructor(sets: Pick<Sets, 'get' | 'ids'>, clock: () => Date) {
    this.#sets = sets
    this.#clock = clock
  }

  /**
   * Returns a table of the members' ids of one set, or a tar.gz with a table for each of several sets. By
   * default, lists the members that the current release has; with `areLost`, those that it lacks. All sets have
   * been found when the promise resolves.
   * @throws EngineError not_found; bad_input for none, too many, or another type; too_many members; busy;
   *   unavailable without a release
   */
  async of(given: readonly SetFile[], run: SetFilesRun = {}): Promise<SetAnswer> {
    if (given.length === 0 || given.length > SET_FILE_LIMITS.sets) {
      const message = `${given.length} sets are given; give 1 to ${SET_FILE_LIMITS.sets}, each as {"id", "type", "filename"}`
      throw new EngineError('bad_input', message, { at: 'sets' })
    }
    // Waits for a place first, because counting the members may already be expensive.
    const leave = await this.#places.enter(run.signal)
    try {
      return this.#answer(await this.#named(given, run), leave)
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Loads the sets, checks their types and total size, and gives each set a unique file name. */
  async #named(
    given: readonly SetFile[],
    { areLost = false, signal }: SetFilesRun,
  ): Promise<readonly NamedSet[]> {
    const names = new Set<string>()
    const files: NamedSet[] = []
    let members = 0
    for (const file of given) {
      const set = await this.#sets.get(file.id, { signal })
      if (file.type !== undefined && file.type !== set.type) {
        const message = `a set of type ${set.type} is requested as a set of another type; leave type out`
        throw new EngineError('bad_input', message, { at: 'sets' })
      }
      members += set.size + set.lost
      if (members > SET_FILE_LIMITS.members) {
        const message = `the sets have more than ${SET_FILE_LIMITS.members} members in all; request fewer sets at a time`
        throw new EngineError('too_many', message, { at: 'sets' })
      }
      files.push({ fileName: ownName(file.fileName, names), set, areLost })
    }
    return files
  }

  #answer(files: readonly NamedSet[], leave: () => void): SetAnswer {
    const [first] = files
    if (first && files.length === 1) {
      const stream = generatedStream({ rest: this.#table(first) }, { giveBack: leave })
      return { ...stream, fileName: first.fileName, contentType: 'text/tab-separated-values' }
    }
    const stream = gzipped(generatedStream({ rest: this.#tar(files) }, { giveBack: leave }))
    return { ...stream, fileName: undefined, contentType: 'application/x-gzip' }
  }

  async *#tar(files: readonly NamedSet[]): AsyncGenerator<Uint8Array> {
    const modified = this.#clock()
    for (const file of files) {
      let size = 0
      for await (const chunk of this.#table(file)) size += chunk.length
      yield await tarHeader({ path: file.fileName, size }, modified)
      let rest = size
      for await (const chunk of this.#table(file)) {
        rest -= chunk.length
        yield chunk
      }
      // The tar header already states the size of the member.
      if (rest !== 0) throw changedMeanwhile()
      yield Buffer.alloc(padded(size) - size)
    }
    yield Buffer.alloc(END_BYTES)
  }

  async *#table({ set: { id, type }, areLost }: NamedSet): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${datasetOf(DATASET_OF_SET[type]).idField}\n`)
    for await (const ids of this.#sets.ids(id, areLost)) yield Buffer.from(`${ids.join('\n')}\n`)
  }
}

interface NamedSet {
  readonly fileName: string
  readonly set: StoredSet
  readonly areLost: boolean
}

/** Returns a file name that is not yet taken in the archive. */
function ownName(given: string, taken: Set<string>): string {
  const plain = given
    .replace(/[\p{Cc}/\\:]/gu, '_')
    .replace(/^\.+/, '_')
    .slice(0, 200)
  const name = plain === '' ? 'set.tsv' : plain
  let own = name
  for (let number = 2; taken.has(own); number++) own = `${number}_${name}`
  taken.add(own)
  return own
}
