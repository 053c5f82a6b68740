/**
 * Format of a block: the numbers of one gene in a range of cells, packed without loss. It states which cells
 * have a non-zero number (all of them, a bit per cell, or a list of positions), and these numbers in the
 * narrowest form that restores each bit for bit: codes of at most 256 distinct numbers, floats, or doubles.
 *
 * The head has 8 bytes: forms of positions and numbers; distinct numbers minus one; count of numbers; count
 * of cells. The parts follow by descending width, so that each is aligned: doubles, floats, positions, codes,
 * bits. A range of zeros has no bytes at all.
 */

/** Cells per range: positions fit in 16 bits, and the printed text in 2 MB. */
export const EXTENT_CELLS = 1 << 15

const PLACES = { all: 0, listed: 1, marked: 2 } as const
const NUMBERS = { coded: 0, float: 1, double: 2 } as const
const NUMBER_BYTES = [1, 4, 8] as const
const HEAD_BYTES = 8
const MAX_CODES = 256
/** Upper bound of bytes per cell: a listed position and a double. */
const MAX_CELL_BYTES = 10

/** Returns the most bytes of a block for a number of cells. */
export const mostBlockBytes = (cells: number) => HEAD_BYTES + 8 * MAX_CODES + MAX_CELL_BYTES * cells

/** Cells with a number: the first `count` entries of both lists. */
export interface Listed {
  readonly places: Uint16Array
  readonly numbers: Float64Array
  readonly count: number
}

/** Packs numbers with reusable memory. */
export class NumberPacker {
  readonly #places = new Uint16Array(EXTENT_CELLS)
  readonly #numbers = new Float64Array(EXTENT_CELLS)
  readonly #all = new Float64Array(EXTENT_CELLS)
  readonly #codes = new Uint8Array(EXTENT_CELLS)
  readonly #different = new Float64Array(MAX_CODES)

  /**
   * Packs the numbers of at most EXTENT_CELLS cells at a multiple of 8 bytes.
   * @returns the number of bytes written
   */
  pack(cells: ArrayLike<number>, into: Uint8Array<ArrayBuffer>): number {
    return this.#packGathered(this.#gather(cells), cells.length, into)
  }

  /**
   * Packs as `pack` does, given only the cells with a number: their ascending positions, and the numbers.
   * @returns the number of bytes written
   */
  packListed({ places, numbers, count }: Listed, cells: number, into: Uint8Array<ArrayBuffer>) {
    this.#places.set(places.subarray(0, count))
    this.#numbers.set(numbers.subarray(0, count))
    return this.#packGathered(count, cells, into)
  }

  #packGathered(gathered: number, cells: number, into: Uint8Array<ArrayBuffer>): number {
    if (gathered === 0) return 0
    // If nearly all cells have a number, storing zeros takes less than positions.
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

  /** Collects the non-zero numbers and their positions. Negative zero counts as non-zero. */
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

  /** Returns the gathered numbers with a zero for each of the other cells. */
  #spread(gathered: number, cells: number): Float64Array {
    const all = this.#all.subarray(0, cells).fill(0)
    for (let i = 0; i < gathered; i++) all[this.#places[i]!] = this.#numbers[i]!
    return all
  }

  /** Returns the count of distinct numbers, or 0 if there are more than codes. */
  #code(numbers: Float64Array): number {
    const known = new Map<number, number>()
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i]!
      // A Map does not distinguish negative zero.
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
 * Unpacks a block of `pack` into a number per cell.
 * @returns false if it is not a block of that many cells
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
  /** Count of distinct numbers in the coded form. */
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
