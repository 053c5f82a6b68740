import { Gate } from '../../shared/concurrency/gate.ts'
import { unlessAborted } from '../../shared/concurrency/unless-aborted.ts'
import type { ByteSpan } from '../../shared/streams/byte-span.ts'
import { type ByteStream, generatedStream } from '../../shared/streams/byte-stream.ts'
import type { ParquetLayout, ParquetOptions } from '../render/parquet.ts'
import type { Begun } from './body.ts'

/** Memory for the layouts of files that were sent, in bytes. */
const KEPT_BYTES = 32 << 20
/** Memory of a column of a layout, in bytes. */
const COLUMN_BYTES = 128
/** Memory of a row group of a layout, which is an offset and a row. */
const GROUP_BYTES = 16
/** Files up to this size are made before they are sent, and so have a length at once, in bytes. */
const SMALL_BYTES = 256 << 10
/** Larger files that are made at a time for their length alone, and those that wait. No reader slows them down. */
const SIZED_AT_ONCE = 2
const MAX_WAITING = 64
const BUSY = 'the lengths of too many large tables are asked for at once; try again in a moment'

/** A body whose ranges may be asked for. */
export interface BegunFile extends Begun {
  /** Length of the body in bytes. Undefined if it is not known yet. */
  readonly length: number | undefined
  /** Opens a range of bytes. The file must have a length. */
  readonly part: (span: ByteSpan) => ByteStream
}

interface ParquetSource {
  /** Key that is equal for equal bytes. */
  readonly key: string
  readonly write: (options: ParquetOptions) => AsyncGenerator<Uint8Array, undefined>
  /** Whether the length is needed, so that the whole file is made first if it was not before. */
  readonly isSized: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Parquet files that are made while they are sent. The layout of each is kept: it gives the length of the next equal
 * response, and its ranges, of which only the row groups are made that they are in.
 */
export class ParquetFiles {
  /** Layouts, least recently used first. */
  readonly #layouts = new Map<string, ParquetLayout>()
  readonly #places = new Gate(SIZED_AT_ONCE, MAX_WAITING, BUSY)
  /** Files that are being made for their length, so that equal requests make one. */
  readonly #making = new Map<string, Promise<ParquetLayout | undefined>>()
  #bytes = 0

  /**
   * Begins a file, of which some bytes are made, so that errors arise before anything is sent.
   * @throws EngineError `busy` if too many large files are made for their length; the errors of the rows
   */
  async open(source: ParquetSource): Promise<BegunFile> {
    const { key, write, isSized } = source
    const kept = this.#layouts.get(key)
    const layout = kept ?? (isSized ? await this.#laidOut(source) : undefined)
    if (layout) this.#keep(key, layout)
    const onLayout = (made: ParquetLayout) => this.#keep(key, made)
    const rest = write({ layout, onLayout })
    const part = (span: ByteSpan): ByteStream => {
      const bytes = generatedStream({ rest: write({ layout, span }) }, { giveBack: () => {} })
      return { ...bytes, length: span.end - span.start }
    }
    // The body of a sized response is often a range or nothing, so nothing is made ahead.
    if (layout) return { taken: [], rest, length: layout.size, part }
    const taken = await begin(rest)
    // The whole of a small file was made.
    return { taken, rest, length: this.#layouts.get(key)?.size, part }
  }

  /** Returns the layout of a file that was not made before, or that another request is making. */
  async #laidOut(source: ParquetSource): Promise<ParquetLayout> {
    const { key, signal } = source
    for (let other = this.#making.get(key); other; other = this.#making.get(key)) {
      // The other request may end before it has the layout. Then one of those that wait makes it.
      const made = await unlessAborted(other, signal)
      if (made) return made
    }
    const making = this.#make(source).finally(() => this.#making.delete(key))
    this.#making.set(
      key,
      making.catch(() => undefined),
    )
    return making
  }

  /** Makes a file without sending it. Those that are not small have to wait for a place. */
  async #make({ write, signal }: ParquetSource): Promise<ParquetLayout> {
    let layout: ParquetLayout | undefined
    const begun = () =>
      write({
        onLayout: (made) => {
          layout = made
        },
      })
    let rest = begun()
    await begin(rest)
    if (layout) return layout
    let leave = this.#places.tryEnter()
    try {
      if (!leave) {
        // What waits holds no row groups.
        await rest.return(undefined)
        leave = await this.#places.enter(signal)
        rest = begun()
      }
      for await (const _ of rest);
    } finally {
      leave?.()
    }
    if (!layout) throw new Error('a file ended without a layout')
    return layout
  }

  #keep(key: string, layout: ParquetLayout): void {
    this.#drop(key)
    this.#layouts.set(key, layout)
    this.#bytes += bytesOf(layout)
    for (const oldest of this.#layouts.keys()) {
      if (this.#bytes <= KEPT_BYTES) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const layout = this.#layouts.get(key)
    if (layout) this.#bytes -= bytesOf(layout)
    this.#layouts.delete(key)
  }
}

async function begin(rest: AsyncGenerator<Uint8Array>): Promise<Uint8Array[]> {
  const taken: Uint8Array[] = []
  for (let bytes = 0; bytes < SMALL_BYTES; ) {
    const { done, value } = await rest.next()
    if (done) break
    taken.push(value)
    bytes += value.length
  }
  return taken
}

const bytesOf = ({ columns, offsets, footer }: ParquetLayout) =>
  columns.length * COLUMN_BYTES + offsets.length * GROUP_BYTES + footer.length
