import { EngineError } from '../../../shared/errors.ts'

/** The low-level functions of h5wasm. Its high-level classes ignore failed reads. */
type Library = Awaited<typeof import('h5wasm/node').ready>

interface FileSystem {
  open: (path: string, ...rest: unknown[]) => unknown
  write: (
    stream: { readonly fd: number },
    bytes: unknown,
    offset: number,
    length: number,
    ...rest: unknown[]
  ) => number
  readonly ErrnoError: new (errno: number) => Error
}

/** WebAssembly types, which TypeScript declares only for browsers. */
interface WithMemory {
  readonly WebAssembly: {
    readonly Memory: {
      readonly prototype: {
        readonly buffer: ArrayBuffer
        grow: (pages: number) => number
      }
    }
  }
}

/** Type and shape of a dataset. */
export interface DatasetFacts {
  /** `truth` is h5py's boolean type, which is read as the numbers 0 and 1. */
  readonly kind: 'number' | 'text' | 'truth'
  readonly shape: readonly number[]
  /** Dimensions of a chunk, the unit of decompression. Undefined for a dataset that is not chunked. */
  readonly chunk: readonly number[] | undefined
}

type Span = readonly [start: number, end: number]
type Metadata = ReturnType<Library['get_dataset_metadata']>

/** Maximum size of a chunk in bytes. The library decompresses the whole chunk to read a single number. */
const MAX_CHUNK_BYTES = 64 << 20
/** Maximum memory of the library per thread in bytes. WebAssembly memory never shrinks. */
const MAX_MEMORY_BYTES = 256 << 20
const PAGE_BYTES = 64 << 10
/** Maximum size of an attribute in bytes, which is also the maximum that HDF5 stores in an object header. */
const MAX_ATTRIBUTE_BYTES = 64 << 10
const NO_SUCH_FILE = 44
const MESSAGES = [1, 2]
/** Filters included in the HDF5 library: deflate, shuffle, Fletcher-32, szip, N-bit, scale-offset. */
const FILTERS: readonly number[] = [1, 2, 3, 4, 5, 6]
/** Number of the LZF filter, as registered with the HDF Group. Only h5py includes it. */
const LZF = 32_000
const ANEW = 'write it anew'

/** A local HDF5 file, from which only the requested parts are read. */
export class Hdf5File {
  readonly #library: Library
  readonly #id: bigint
  readonly #metadata = new Map<string, Metadata>()

  private constructor(library: Library, id: bigint) {
    this.#library = library
    this.#id = id
  }

  /**
   * Opens a file that has the HDF5 signature.
   * @throws EngineError corrupt_source if the library cannot open it
   */
  static open(library: Library, path: string): Hdf5File {
    const id = shielded(library, path, () =>
      library.open(path, library.H5F_ACC_RDONLY, false, -1, -1),
    )
    if (id < 0n) throw damaged('it cannot be opened, or ends too early')
    return new Hdf5File(library, id)
  }

  close(): void {
    shielded(this.#library, '', () => this.#library.close_file(this.#id))
  }

  /** Returns the type of the object at an absolute path. */
  kindOf(path: string): 'group' | 'dataset' | undefined {
    const { H5G_GROUP, H5G_DATASET } = this.#library
    const type = this.#call(() => this.#library.get_type(this.#id, path))
    if (type === H5G_GROUP) return 'group'
    return type === H5G_DATASET ? 'dataset' : undefined
  }

  /** Returns the names of the members of a group, in the library's order. */
  namesIn(group: string): readonly string[] {
    return this.#call(() => this.#library.get_names(this.#id, group, false))
  }

  /**
   * Returns the type and shape of a dataset.
   * @throws EngineError corrupt_source if its values are neither numbers nor text
   */
  factsOf(path: string): DatasetFacts {
    const { type, shape, chunks } = this.#metadataOf(path)
    const { H5T_STRING, H5T_ENUM } = this.#library.H5T_class_t
    const kind = type === H5T_STRING.value ? 'text' : type === H5T_ENUM.value ? 'truth' : 'number'
    return { kind, shape: shape ?? [], chunk: chunks ?? undefined }
  }

  /** Returns a text attribute of a group or dataset. Undefined if it does not exist or is not a single text. */
  textAttribute(path: string, name: string): string | undefined {
    const library = this.#library
    return this.#call(() => {
      if (!library.get_attribute_names(this.#id, path).includes(name)) return undefined
      const metadata = library.get_attribute_metadata(this.#id, path, name)
      const { type, size, vlen, total_size: count } = metadata
      const isText = type === library.H5T_class_t.H5T_STRING.value
      if (!isText || count !== 1 || size > MAX_ATTRIBUTE_BYTES) return undefined
      const at = library._malloc(size)
      if (at === 0) throw damaged('a part of it does not fit into memory')
      try {
        // Zeroed first, because bytes that the library does not fill would be read as a pointer.
        library.HEAPU8.fill(0, at, at + size)
        if (library.get_attribute_data(this.#id, path, name, BigInt(at)) < 0) {
          throw damaged(`the attribute "${name}" of "${path}" cannot be read`)
        }
        const bytes = library.HEAPU8.slice(at, at + size)
        if (!vlen) return fixedTexts(bytes, size)[0]
        const [pointer = 0] = new Uint32Array(bytes.buffer)
        return pointer === 0 ? '' : library.UTF8ToString(pointer)
      } finally {
        if (vlen) library.reclaim_vlen_memory(this.#id, path, name, BigInt(at))
        library._free(at)
      }
    })
  }

  /**
   * Reads the numbers in a range of each dimension, last dimension fastest, and calls `use` with them. The
   * numbers are in memory of the library, so they are valid only during the call.
   * @throws EngineError corrupt_source if they cannot be read
   */
  view<T>(path: string, spans: readonly Span[], use: (view: NumberView) => T): T {
    const { type, size, signed } = this.#metadataOf(path)
    const { H5T_class_t: classes } = this.#library
    const isFloat = type === classes.H5T_FLOAT.value
    return this.#read(path, spans, (at, bytes) =>
      use(viewOf(this.#library.HEAPU8.buffer as ArrayBuffer, at, { bytes, isFloat, size, signed })),
    )
  }

  /**
   * Reads numbers like `view`, but returns a copy as doubles. Integers beyond 2^53 are rounded.
   * @throws EngineError corrupt_source if they cannot be read
   */
  numbers(path: string, spans: readonly Span[]): Float64Array {
    return this.view(path, spans, (view) => {
      const { values, step } = view
      if (step === 1) return Float64Array.from(values)
      return Float64Array.from({ length: values.length / 2 }, (_, i) => numberAt(view, i))
    })
  }

  /**
   * Reads a range of a one-dimensional dataset of texts.
   * @throws EngineError corrupt_source if they cannot be read
   */
  texts(path: string, [start, end]: Span): readonly string[] {
    const { vlen, size } = this.#metadataOf(path)
    const library = this.#library
    return this.#read(path, [[start, end]], (at, length, count) => {
      if (!vlen) return fixedTexts(library.HEAPU8.slice(at, at + length), size)
      try {
        const pointers = new Uint32Array(library.HEAPU8.slice(at, at + length).buffer)
        return Array.from(pointers, (pointer) => (pointer ? library.UTF8ToString(pointer) : ''))
      } finally {
        library.reclaim_vlen_memory_count(this.#id, path, '', BigInt(at), count)
      }
    })
  }

  #read<T>(
    path: string,
    spans: readonly Span[],
    take: (at: number, length: number, count: bigint[]) => T,
  ): T {
    const { size } = this.#metadataOf(path)
    const count = spans.map(([start, end]) => BigInt(end - start))
    const offset = spans.map(([start]) => BigInt(start))
    const strides = spans.map(() => 1n)
    const length = spans.reduce((product, [start, end]) => product * (end - start), size)
    const library = this.#library
    return this.#call(() => {
      const at = library._malloc(Math.max(length, 1))
      if (at === 0) throw damaged('a part of it does not fit into memory')
      try {
        // Zeroed first, because bytes that the library does not fill would be read as pointers.
        library.HEAPU8.fill(0, at, at + length)
        const status = library.get_dataset_data(this.#id, path, count, offset, strides, BigInt(at))
        if (status < 0) throw damaged('a part of it cannot be read')
        return take(at, length, count)
      } finally {
        library._free(at)
      }
    })
  }

  #metadataOf(path: string): Metadata {
    const known = this.#metadata.get(path)
    if (known) return known
    const library = this.#library
    const metadata = this.#call(() => library.get_dataset_metadata(this.#id, path))
    const { type, size, chunks, virtual_sources: elsewhere } = metadata
    const { H5T_INTEGER, H5T_FLOAT, H5T_STRING, H5T_ENUM } = library.H5T_class_t
    const isKnown =
      type === H5T_STRING.value ||
      (type === H5T_INTEGER.value && [1, 2, 4, 8].includes(size)) ||
      (type === H5T_FLOAT.value && [4, 8].includes(size)) ||
      (isTruth(metadata, H5T_ENUM.value) && size === 1)
    if (!isKnown) throw damaged(this.#strangeType(path, metadata))
    const filters = this.#call(() => library.get_dataset_filters(this.#id, path))
    const packed = filters.find(({ id }) => !FILTERS.includes(id))
    if (packed) {
      const name = packed.id === LZF ? 'LZF' : `filter ${packed.id}`
      throw damaged(`"${path}" is compressed by ${name}; ${ANEW} with compression="gzip"`)
    }
    if (elsewhere) throw damaged('one of its datasets is in another file')
    const chunkBytes = (chunks ?? []).reduce((product, length) => product * length, size)
    if (chunkBytes > MAX_CHUNK_BYTES) {
      throw damaged(`a chunk of it has more than ${MAX_CHUNK_BYTES} bytes`)
    }
    this.#metadata.set(path, metadata)
    return metadata
  }

  /** Returns a description of an unsupported data type, and of the type to use instead. */
  #strangeType(path: string, { type, size }: Metadata): string {
    const { H5T_FLOAT } = this.#library.H5T_class_t
    if (type === H5T_FLOAT.value) {
      return `"${path}" holds float${8 * size}; ${ANEW} as float32 or float64`
    }
    return `"${path}" holds neither numbers nor texts; ${ANEW} as one of them`
  }

  /** Calls the library. If it throws, reports the file as damaged. */
  #call<T>(act: () => T): T {
    try {
      return shielded(this.#library, '', act)
    } catch (cause) {
      if (cause instanceof EngineError) throw cause
      throw damaged('a part of it cannot be read', cause)
    }
  }
}

/** Returns whether a type is h5py's boolean: an enumeration with FALSE = 0 and TRUE = 1. */
function isTruth({ type, enum_type: names }: Metadata, enumeration: number): boolean {
  const members: Readonly<Record<string, number>> = names?.members ?? {}
  if (type !== enumeration || Object.keys(members).length !== 2) return false
  return members.FALSE === 0 && members.TRUE === 1
}

const damaged = (what: string, cause?: unknown) =>
  new EngineError('corrupt_source', `the HDF5 file cannot be used: ${what}`, { cause })

/**
 * Runs the library with three restrictions. It can open only the given path, because an HDF5 file may refer to
 * other files. Its memory is limited, because it allocates sizes that a damaged file states. Its error output is
 * discarded, because it contains paths and standard error is reserved for the log.
 */
function shielded<T>(library: Library, only: string, act: () => T): T {
  // Emscripten's file system, of which the library's types declare only a read-only part.
  const system = library.FS as unknown as FileSystem
  const { open, write, ErrnoError } = system
  const { stderr } = process
  const { write: say } = stderr
  // TypeScript's types for servers do not declare WebAssembly (see WithMemory).
  const memory = (globalThis as unknown as WithMemory).WebAssembly.Memory.prototype
  const { grow } = memory
  system.open = (path, ...rest) => {
    if (path !== only) throw new ErrnoError(NO_SUCH_FILE)
    return open(path, ...rest)
  }
  system.write = (stream, bytes, offset, length, ...rest) =>
    MESSAGES.includes(stream.fd) ? length : write(stream, bytes, offset, length, ...rest)
  stderr.write = () => true
  memory.grow = function (pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > MAX_MEMORY_BYTES) {
      throw new RangeError('the library wants too much memory')
    }
    return grow.call(this, pages)
  }
  try {
    return act()
  } finally {
    Object.assign(system, { open, write })
    stderr.write = say
    memory.grow = grow
  }
}

function fixedTexts(bytes: Uint8Array, size: number): readonly string[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return Array.from({ length: bytes.length / size }, (_, i) => {
    const text = all.subarray(i * size, (i + 1) * size)
    const end = text.indexOf(0)
    return text.toString('utf8', 0, end < 0 ? size : end).trimEnd()
  })
}

/** Numbers in memory of the library. They are valid only during the call to which they are passed. */
export interface NumberView {
  readonly values: Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array | NarrowArray
  /** Array elements per number: 2 for 64-bit integers (low and high half, as BigInts are slow), otherwise 1. */
  readonly step: 1 | 2
  readonly signed: boolean
}

type NarrowArray = Int8Array | Int16Array | Uint16Array

/** Returns number `i` of a view. 64-bit integers are composed of two 32-bit halves. */
export function numberAt({ values, step, signed }: NumberView, i: number): number {
  if (step === 1) return values[i] ?? 0
  const high = values[2 * i + 1] ?? 0
  return (signed ? high | 0 : high) * 2 ** 32 + (values[2 * i] ?? 0)
}

interface NumberForm {
  readonly bytes: number
  readonly isFloat: boolean
  readonly size: number
  readonly signed: boolean
}

function viewOf(
  memory: ArrayBuffer,
  at: number,
  { bytes, isFloat, size, signed }: NumberForm,
): NumberView {
  const length = bytes / size
  if (size === 8 && !isFloat) {
    return { values: new Uint32Array(memory, at, 2 * length), step: 2, signed }
  }
  const types = isFloat ? FLOATS : signed ? INTEGERS : COUNTS
  return { values: new (types[size] ?? Uint8Array)(memory, at, length), step: 1, signed }
}

type ViewType = new (memory: ArrayBuffer, at: number, length: number) => NumberView['values']

// Array types by the size of a number in bytes.
const FLOATS: Readonly<Record<number, ViewType>> = { 4: Float32Array, 8: Float64Array }
const INTEGERS: Readonly<Record<number, ViewType>> = { 1: Int8Array, 2: Int16Array, 4: Int32Array }
const COUNTS: Readonly<Record<number, ViewType>> = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }
