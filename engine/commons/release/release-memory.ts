import type { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import {
  MAX_WASM_PAGES,
  WASM_PAGE_BYTES,
  type WasmInterface,
  type WasmMemory,
  webAssembly,
} from '../../shared/web-assembly.ts'
import { CHUNK_BUFFER_BYTES, chunkBuffers, MAX_CHUNK_BUFFERS } from './chunk-buffers.ts'

const BUFFERS_BYTES = MAX_CHUNK_BUFFERS * CHUNK_BUFFER_BYTES

/**
 * Shared memory of a release: first buffers for chunks of responses, then an extent for arrays. In all threads,
 * kernels read the arrays and write the chunks directly in this memory. Pages that were never used take no
 * memory.
 */
export class ReleaseMemory {
  /** Buffers that chunks of responses are written to. */
  readonly buffers: BufferPool
  readonly #arrayBytes: number
  #memory: { readonly wasm?: WasmMemory; readonly buffer: SharedArrayBuffer } | undefined
  #buffers = 0

  /** @param arrayBytes size of the extent for arrays */
  constructor(arrayBytes: number) {
    this.#arrayBytes = arrayBytes
    this.buffers = chunkBuffers((bytes) => this.#nextBuffer(bytes))
  }

  /** The memory for kernels. Undefined where WebAssembly is off, or cannot address that much. */
  get wasm(): WasmMemory | undefined {
    return this.#made.wasm
  }

  /** Returns the extent for arrays. */
  arrays(): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(this.#made.buffer, BUFFERS_BYTES, this.#arrayBytes)
  }

  get #made() {
    this.#memory ??= newMemory(BUFFERS_BYTES + this.#arrayBytes)
    return this.#memory
  }

  #nextBuffer(bytes: number): Buffer {
    const start = this.#buffers++ * bytes
    if (start + bytes > BUFFERS_BYTES) return Buffer.from(new SharedArrayBuffer(bytes))
    return Buffer.from(this.#made.buffer, start, bytes)
  }
}

/** Creates the memory, or undefined if V8 cannot reserve 10 GiB of addresses, as for any size (`ulimit -v`). */
function wasmMemory({ Memory }: WasmInterface, pages: number): WasmMemory | undefined {
  try {
    return new Memory({ initial: pages, maximum: pages, shared: true })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function newMemory(bytes: number) {
  // Kernels read in words, so beyond the last byte.
  const pages = Math.ceil(bytes / WASM_PAGE_BYTES) + 1
  const wasm = webAssembly()
  const memory = wasm && pages <= MAX_WASM_PAGES ? wasmMemory(wasm, pages) : undefined
  return memory ? { wasm: memory, buffer: memory.buffer } : { buffer: new SharedArrayBuffer(bytes) }
}
