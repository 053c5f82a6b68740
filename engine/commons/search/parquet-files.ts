import type { ByteSpan } from '../../shared/streams/byte-span.ts'
import { type ByteStream, generatedStream } from '../../shared/streams/byte-stream.ts'
import type { ParquetLayout, ParquetOptions } from '../render/parquet.ts'
import type { Begun } from './body.ts'

/** Memory for the layouts of files that were sent, in bytes. */
const KEPT_BYTES = 32 << 20
/** Memory of a column of a layout, in bytes. */
const COLUMN_BYTES = 128
/** Files up to this size are made before they are sent, and so have a length at once, in bytes. */
const SMALL_BYTES = 1 << 20

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
}

/**
 * Parquet files that are made while they are sent. The layout of each is kept: it gives the length of the next equal
 * response, and its ranges, of which only the row groups are made that they are in.
 */
export class ParquetFiles {
  /** Layouts, least recently used first. */
  readonly #layouts = new Map<string, ParquetLayout>()
  #bytes = 0

  /** Begins a file, of which some bytes are made, so that errors arise before anything is sent. */
  async open({ key, write, isSized }: ParquetSource): Promise<BegunFile> {
    let layout = this.#layouts.get(key)
    const onLayout = (made: ParquetLayout) => {
      layout = made
      this.#keep(key, made)
    }
    if (layout) this.#keep(key, layout)
    else if (isSized) for await (const _ of write({ onLayout }));
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
  columns.length * COLUMN_BYTES + offsets.length * 8 + footer.length
