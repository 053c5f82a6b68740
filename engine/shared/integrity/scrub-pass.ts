import type { OpenBlob } from '../blobs/blob.ts'
import type { FileCatalogue, StoredFile } from '../catalogue/files.ts'
import { EngineError } from '../errors.ts'
import type { CheckStore, Verdict } from './check-store.ts'
import type { Integrity } from './integrity.ts'
import type { Pace } from './pace.ts'
import type { ScrubState, ScrubStore } from './scrub-store.ts'

export interface PassContext {
  readonly files: FileCatalogue
  readonly checks: CheckStore
  readonly store: ScrubStore
  readonly integrity: Integrity
  readonly clock: () => Date
  /**
   * Opens the bytes of a file.
   * @throws EngineError `corrupt_source` if its size differs from the record, `unavailable`
   */
  readonly open: (file: StoredFile) => Promise<OpenBlob>
  /** Called if a file cannot be checked, or without an id if no file can. */
  readonly onError: (cause: unknown, fileId?: string) => void
}

interface PassRun {
  readonly pace: Pace
  readonly signal: AbortSignal
  /** Called with the number of bytes since the last call. */
  readonly onBytes: (bytes: number) => void
  /** Called with each state that is stored, whether by this server or by one that took over the pass. */
  readonly onState: (state: ScrubState) => void
}

const READ_BYTES = 1 << 20
/** Minimum cost of checking a file, in bytes, because opening a file also takes time. */
const FILE_BYTES = 64 << 10
/** Progress is saved after this many bytes, or after a number of files or milliseconds. */
const SAVED_BYTES = 64 << 20
const SAVED_FILES = 256
const SAVED_MILLISECONDS = 60 * 1000

/** Thrown when another server has taken over the pass. */
class PassLost extends Error {}

/** One pass of the scrub over all stored files, in the order of their ids. */
export class ScrubPass {
  readonly #context: PassContext
  readonly #run: PassRun
  readonly #buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  #saved: ScrubState
  #savedAt = performance.now()
  #lastId: string
  /** Results since the last save. */
  #verdicts: Verdict[] = []
  #files = 0
  #bytes = 0

  /** @param from state to continue from, written by this server */
  constructor(from: ScrubState, context: PassContext, run: PassRun) {
    this.#saved = from
    this.#lastId = from.lastId
    this.#context = context
    this.#run = run
  }

  /**
   * Continues to the end of the pass, or until another server takes it over.
   * @throws EngineError `busy`, `unavailable` if the database does not answer; the signal's reason
   */
  async finish(): Promise<void> {
    const { files, clock } = this.#context
    try {
      for await (const file of files.each(this.#lastId)) {
        await this.#run.pace.take(FILE_BYTES, this.#run.signal)
        const verdict = await this.#look(file)
        if (verdict) this.#verdicts.push(verdict)
        this.#lastId = file.id
        this.#files++
        // Damage is saved at once.
        if (verdict?.problem !== undefined) await this.#save()
        else await this.#saveIfDue()
      }
      await this.#save({ lastId: '', startedAt: null, finishedAt: clock().toISOString() })
    } catch (error) {
      if (!(error instanceof PassLost)) throw error
    }
  }

  /** Checks the bytes of a file. Returns `undefined` if they cannot be read at the moment. */
  async #look(file: StoredFile): Promise<Verdict | undefined> {
    const { integrity, open, onError } = this.#context
    try {
      const blob = await open(file)
      try {
        return await this.#readAll(file, blob)
      } finally {
        await blob.close()
      }
    } catch (error) {
      this.#run.signal.throwIfAborted()
      if (!(error instanceof EngineError)) throw error
      if (error.code === 'corrupt_source') return integrity.damaged(file, error.message)
      onError(error, file.id)
      return undefined
    }
  }

  async #readAll(file: StoredFile, blob: OpenBlob): Promise<Verdict> {
    const { signal, pace, onBytes } = this.#run
    const { integrity } = this.#context
    const sum = integrity.md5Of(file)
    for (let at = 0; at < file.size; ) {
      const length = await blob.read(this.#buffer.subarray(0, file.size - at), at, { signal })
      if (length === 0) return integrity.damaged(file, `file ends at byte ${at}`)
      await sum.add(this.#buffer.subarray(0, length), { signal })
      at += length
      this.#bytes += length
      onBytes(length)
      await this.#saveIfDue()
      await pace.take(length, signal)
    }
    return integrity.verdictOf(file, sum)
  }

  /** Saves the progress if due. Called within files, too: others take over a pass whose turn does not change. */
  async #saveIfDue(): Promise<void> {
    const isDue =
      this.#bytes >= SAVED_BYTES ||
      this.#files >= SAVED_FILES ||
      performance.now() - this.#savedAt >= SAVED_MILLISECONDS
    if (isDue) await this.#save()
  }

  async #save(changes: Partial<ScrubState> = {}): Promise<void> {
    const { checks, store } = this.#context
    // Results are saved before the position, so that a crash in between only repeats checks.
    await checks.record(this.#verdicts)
    this.#verdicts = []
    const files = this.#saved.files + this.#files
    const next = await store.advance(this.#saved, { lastId: this.#lastId, files, ...changes })
    this.#run.onState(next ?? (await store.read()))
    if (!next) throw new PassLost('another server goes on with the pass')
    this.#saved = next
    this.#savedAt = performance.now()
    this.#files = 0
    this.#bytes = 0
  }
}
