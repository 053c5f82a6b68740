/**
 * Format of a block: the values of one gene in a range of cells, compressed without loss. A block states which
 * cells have a non-zero value (all, a bit per cell, or a list of positions). It stores these values in the
 * smallest form that restores every bit: indices of at most 256 distinct values, 32-bit floats, or doubles.
 *
 * The header has 8 bytes: form of the positions, form of the values, number of distinct values minus one,
 * number of stored values, number of cells. The parts follow by descending element size, so that each is
 * aligned: doubles, floats, positions, indices, bits. If all values are zero, the block is empty.
 */

/** Number of cells per range, so that a position fits in 16 bits and the printed text in 2 MB. */
export const EXTENT_CELLS = 1 << 15

const PLACES = { all: 0, listed: 1, marked: 2 } as const
const NUMBERS = { coded: 0, float: 1, double: 2 } as const
const NUMBER_BYTES = [1, 4, 8] as const
const HEAD_BYTES = 8
const MAX_CODES = 256
/** Maximum number of bytes per cell: a 16-bit position and a double. */
const MAX_CELL_BYTES = 10

/** Returns the maximum size in bytes of a block for a number of cells. */
export const mostBlockBytes = (cells: number) => HEAD_BYTES + 8 * MAX_CODES + MAX_CELL_BYTES * cells

/** Cells with a non-zero value. They are the first `count` entries of both arrays. */
export interface Listed {
  readonly places: Uint16Array
  readonly numbers: Float64Array
  readonly count: number
}

/** Encodes blocks, with memory that is reused for each block. */
export class NumberPacker {
  readonly #places = new Uint16Array(EXTENT_CELLS)
  readonly #numbers = new Float64Array(EXTENT_CELLS)
  readonly #all = new Float64Array(EXTENT_CELLS)
  readonly #codes = new Uint8Array(EXTENT_CELLS)
  readonly #different = new Float64Array(MAX_CODES)

  /**
   * Encodes the values of at most EXTENT_CELLS cells. `into` must be aligned to 8 bytes.
   * @returns the number of bytes written
   */
  pack(cells: ArrayLike<number>, into: Uint8Array<ArrayBuffer>): number {
    return this.#packGathered(this.#gather(cells), cells.length, into)
  }

  /**
   * Encodes a block like `pack`, given only the non-zero values and their positions, ascending.
   * @returns the number of bytes written
   */
  packListed({ places, numbers, count }: Listed, cells: number, into: Uint8Array<ArrayBuffer>) {
    this.#places.set(places.subarray(0, count))
    this.#numbers.set(numbers.subarray(0, count))
    return this.#packGathered(count, cells, into)
  }

  #packGathered(gathered: number, cells: number, into: Uint8Array<ArrayBuffer>): number {
    if (gathered === 0) return 0
    // If nearly all cells have a value, storing the zeros, too, takes less space than storing positions.
    const isAll = gathered > cells - (cells >> 6)
    const count = isAll ? cells : gathered
    const numbers = isAll ? this.#spread(gathered, cells) : this.#numbers.subarray(0, count)
    const codes = this.#code(numbers)
    const form = codes > 0 ? NUMBERS.coded : areFloats(numbers) ? NUMBERS.float : NUMBERS.double
    const isListed = 2 * count <= Math.ceil(cells / 8)
    const places = isAll ? PLACES.all : isListed ? PLACES.listed : PLACES.marked
    const bytes = HEAD_BYTES + lengthOf({ places, form, count, codes, cells })
    const parts = partsOf(into.subarray(0, bytes), { places, form, count, codes })
    parts.head.set([places | (form << 8), Math.max(codes - 1, 0), count, cells])
    const doubles = codes > 0 ? this.#different : numbers
    parts.doubles.set(doubles.subarray(0, parts.doubles.length))
    parts.floats.set(numbers.subarray(0, parts.floats.length))
    parts.places.set(this.#places.subarray(0, parts.places.length))
    parts.codes.set(this.#codes.subarray(0, parts.codes.length))
    if (places === PLACES.marked) mark(this.#places.subarray(0, count), parts.bits)
    return bytes
  }

  /** Collects the non-zero values, including -0, and their positions. Returns their number. */
  #gather(cells: ArrayLike<number>): number {
    const [places, numbers] = [this.#places, this.#numbers]
    let count = 0
    for (let i = 0; i < cells.length; i++) {
      const number = cells[i]!
      if (number === 0 && 1 / number > 0) continue
      places[count] = i
      numbers[count++] = number
    }
    return count
  }

  /** Returns the collected values, with zeros for all other cells. */
  #spread(gathered: number, cells: number): Float64Array {
    const all = this.#all.subarray(0, cells).fill(0)
    for (let i = 0; i < gathered; i++) all[this.#places[i]!] = this.#numbers[i]!
    return all
  }

  /** Replaces values by indices of distinct values. Returns the number of these, or 0 if it exceeds 256. */
  #code(numbers: Float64Array): number {
    const known = new Map<number, number>()
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i]!
      // A Map treats -0 and 0 as the same key.
      if (number === 0 && 1 / number < 0) return 0
      let code = known.get(number)
      if (code === undefined) {
        code = known.size
        if (code === MAX_CODES) return 0
        known.set(number, code)
        this.#different[code] = number
      }
      this.#codes[i] = code
    }
    return known.size
  }
}

/**
 * Decodes a block into one value per cell.
 * @returns false if the block is not valid for this number of cells
 */
export function unpackNumbers(block: Uint8Array<ArrayBuffer>, into: Float64Array): boolean {
  into.fill(0)
  if (block.length === 0) return true
  if (block.length < HEAD_BYTES) return false
  const head = new Uint16Array(block.buffer, block.byteOffset, HEAD_BYTES / 2)
  const [forms = 0, last = 0, count = 0, cells = 0] = head
  const [places, form] = [forms & 0xff, forms >> 8]
  const codes = form === NUMBERS.coded ? last + 1 : 0
  const isKnown = places <= PLACES.marked && form <= NUMBERS.double && cells === into.length
  if (!isKnown || lengthOf({ places, form, count, codes, cells }) !== block.length - HEAD_BYTES) {
    return false
  }
  const parts = partsOf(block, { places, form, count, codes })
  const numbers = form === NUMBERS.float ? parts.floats : parts.doubles
  const numberAt =
    form === NUMBERS.coded
      ? (i: number) => numbers[parts.codes[i]!] as number
      : (i: number) => numbers[i]!
  if (places === PLACES.all) for (let i = 0; i < count; i++) into[i] = numberAt(i)
  else if (places === PLACES.listed) {
    for (let i = 0; i < count; i++) into[parts.places[i]!] = numberAt(i)
  } else {
    let next = 0
    for (let byte = 0; byte < parts.bits.length; byte++) {
      for (let bits = parts.bits[byte]!; bits !== 0; bits &= bits - 1) {
        into[8 * byte + 31 - Math.clz32(bits & -bits)] = numberAt(next++)
      }
    }
  }
  return true
}

interface Form {
  readonly places: number
  readonly form: number
  readonly count: number
  /** Number of distinct values, if values are stored as indices. */
  readonly codes: number
}

function lengthOf({ places, form, count, codes, cells }: Form & { readonly cells: number }) {
  const marks =
    places === PLACES.listed ? 2 * count : places === PLACES.marked ? Math.ceil(cells / 8) : 0
  return 8 * codes + (NUMBER_BYTES[form] ?? 0) * count + marks
}

function partsOf(block: Uint8Array<ArrayBuffer>, { places, form, count, codes }: Form) {
  const { buffer, byteOffset, length } = block
  const doubles = form === NUMBERS.double ? count : codes
  const floats = form === NUMBERS.float ? count : 0
  const listed = places === PLACES.listed ? count : 0
  const coded = form === NUMBERS.coded ? count : 0
  const floatsAt = byteOffset + HEAD_BYTES + 8 * doubles
  const placesAt = floatsAt + 4 * floats
  const codesAt = placesAt + 2 * listed
  return {
    head: new Uint16Array(buffer, byteOffset, HEAD_BYTES / 2),
    doubles: new Float64Array(buffer, byteOffset + HEAD_BYTES, doubles),
    floats: new Float32Array(buffer, floatsAt, floats),
    places: new Uint16Array(buffer, placesAt, listed),
    codes: new Uint8Array(buffer, codesAt, coded),
    bits: block.subarray(codesAt + coded - byteOffset, length),
  }
}

function areFloats(numbers: Float64Array): boolean {
  return numbers.every((number) => Object.is(Math.fround(number), number))
}

function mark(places: Uint16Array, bits: Uint8Array): void {
  bits.fill(0)
  for (const place of places) bits[place >> 3] = bits[place >> 3]! | (1 << (place & 7))
}
