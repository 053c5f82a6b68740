import type { ByteSink } from '../byte-sink.ts'

const TYPES = {
  true: 1,
  false: 2,
  byte: 3,
  i32: 5,
  i64: 6,
  binary: 8,
  list: 9,
  struct: 12,
} as const
const SHORT_LIST = 15

type ElementType = 'i32' | 'binary' | 'struct'

/** Writes the fields of one struct in Thrift's compact protocol, in ascending order of their numbers. */
export class ThriftStruct {
  readonly #sink: ByteSink
  #last = 0

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  boolean(field: number, value: boolean): void {
    this.#begin(field, value ? TYPES.true : TYPES.false)
  }

  byte(field: number, value: number): void {
    this.#begin(field, TYPES.byte)
    this.#sink.byte(value)
  }

  i32(field: number, value: number): void {
    this.#begin(field, TYPES.i32)
    writeVarint(this.#sink, 2 * value)
  }

  /** @param value a safe integer, not negative */
  i64(field: number, value: number): void {
    this.#begin(field, TYPES.i64)
    writeVarint(this.#sink, 2 * value)
  }

  binary(field: number, bytes: Uint8Array): void {
    this.#begin(field, TYPES.binary)
    writeBinary(this.#sink, bytes)
  }

  struct(field: number, write: (inside: ThriftStruct) => void): void {
    this.#begin(field, TYPES.struct)
    writeStruct(this.#sink, write)
  }

  /** Begins a list, whose elements the caller writes. */
  list(field: number, type: ElementType, length: number): void {
    this.#begin(field, TYPES.list)
    const long = length >= SHORT_LIST
    this.#sink.byte(((long ? SHORT_LIST : length) << 4) | TYPES[type])
    if (long) writeVarint(this.#sink, length)
  }

  #begin(field: number, type: number): void {
    this.#sink.byte(((field - this.#last) << 4) | type)
    this.#last = field
  }
}

/** Writes a struct, with the byte that ends it. */
export function writeStruct(sink: ByteSink, write: (struct: ThriftStruct) => void): void {
  write(new ThriftStruct(sink))
  sink.byte(0)
}

export function writeBinary(sink: ByteSink, bytes: Uint8Array): void {
  writeVarint(sink, bytes.length)
  sink.bytes(bytes)
}

/** Writes a safe integer that is not negative, seven bits a byte, lowest first. */
export function writeVarint(sink: ByteSink, value: number): void {
  let rest = value
  while (rest >= 0x80) {
    sink.byte((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  sink.byte(rest)
}
