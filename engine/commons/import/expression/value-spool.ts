import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import type { MatrixKind } from '../../analysis/expression/matrix-format.ts'

export type Values = Uint32Array | Float64Array

const kindOf = (values: Values): MatrixKind => (values instanceof Uint32Array ? 'fixed' : 'double')

/** Position of a row of values in the spool file. */
export interface SpooledRow {
  readonly kind: MatrixKind
  readonly byteOffset: number
}

/** Stores rows of values in a file, in ten-thousandths or doubles, until the matrix is written. */
export class ValueSpool {
  readonly #descriptor: number
  #end = 0

  constructor(path: string) {
    this.#descriptor = openSync(path, 'wx+')
  }

  add(values: Values): SpooledRow {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    const byteOffset = this.#end
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, byteOffset + done)
    }
    this.#end += bytes.length
    return { kind: kindOf(values), byteOffset }
  }

  /**
   * Reads values of a row into an array of the row's kind, as many as fit in it.
   * @param from index of the first value in the row
   */
  read({ byteOffset }: SpooledRow, from: number, into: Values): void {
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength)
    const start = byteOffset + from * into.BYTES_PER_ELEMENT
    const read = readSync(this.#descriptor, bytes, 0, bytes.length, start)
    if (read !== bytes.length) throw new Error('the spool of an import became shorter')
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}
