import { free } from '../../shared/arrays/growing.ts'

/** Number of 32-bit words of a slot: three for the checksum and one for the kind. */
const WORDS = 4
const FIRST_SLOTS = 1 << 10

/**
 * Remembers the parts that an import has staged, so that it does not stage a part twice. A part is identified by
 * a 12-byte checksum and its kind, which is a number for its dataset and rank. An import looks up millions of
 * parts, and making a text key for each would take longer than the lookup. At least half of the slots are free.
 */
export class SaidParts {
  readonly #most: number
  #slots = new Uint32Array(FIRST_SLOTS * WORDS)
  #size = 0
  readonly #wanted = new Uint32Array(WORDS)

  /** @param most maximum number of checksums. When it is reached, the next one clears the set first. */
  constructor(most: number) {
    this.#most = most
  }

  /**
   * Adds a checksum. Returns whether it was already in the set.
   * @param kind non-negative integer; equal checksums of different kinds are different
   * @param digest 12 bytes as Latin-1 characters
   */
  add(kind: number, digest: string): boolean {
    this.#read(kind, digest)
    const at = placeIn(this.#slots, this.#wanted, 0)
    if (this.#slots[at + 3] !== 0) return true
    if (this.#size >= this.#most) this.clear()
    else if ((this.#size + 1) * 2 * WORDS > this.#slots.length) this.#spread()
    this.#slots.set(this.#wanted, placeIn(this.#slots, this.#wanted, 0))
    this.#size++
    return false
  }

  /** Removes all checksums. */
  clear(): void {
    free(this.#slots)
    this.#slots = new Uint32Array(FIRST_SLOTS * WORDS)
    this.#size = 0
  }

  #read(kind: number, digest: string): void {
    for (let word = 0; word < 3; word++) {
      const at = word * 4
      this.#wanted[word] =
        digest.charCodeAt(at) |
        (digest.charCodeAt(at + 1) << 8) |
        (digest.charCodeAt(at + 2) << 16) |
        (digest.charCodeAt(at + 3) << 24)
    }
    // Zero marks a free slot.
    this.#wanted[3] = kind + 1
  }

  #spread(): void {
    const old = this.#slots
    const slots = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at + 3] === 0) continue
      slots.set(old.subarray(at, at + WORDS), placeIn(slots, old, at))
    }
    free(old)
    this.#slots = slots
  }
}

/** Returns the offset of the slot with the words at `from`, or of the free slot where they belong. */
function placeIn(slots: Uint32Array, words: Uint32Array, from: number): number {
  const mask = slots.length - 1
  // The first word of a checksum serves as its hash.
  let at = ((words[from] as number) * WORDS) & mask
  while (slots[at + 3] !== 0 && !isSame(slots, at, words, from)) at = (at + WORDS) & mask
  return at
}

function isSame(slots: Uint32Array, at: number, words: Uint32Array, from: number): boolean {
  for (let word = 0; word < WORDS; word++) {
    if (slots[at + word] !== words[from + word]) return false
  }
  return true
}
